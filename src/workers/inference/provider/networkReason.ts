const byCode: Readonly<Record<string, string>> = {
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
  UND_ERR_SOCKET: 'the provider closed the connection',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer was cut off',
  UND_ERR_CONNECT_TIMEOUT: 'the connection took too long',
  ECONNRESET: 'the provider closed the connection',
  ECONNREFUSED: 'the provider refused the connection',
  EPIPE: 'the provider closed the connection',
  ENOTFOUND: 'the name of the provider was not found',
  ETIMEOUT: 'the name of the provider could not be looked up',
  EAI_AGAIN: 'the name of the provider could not be looked up',
};

/** Why a connection failed. The texts name no address, and quote no message. */
export function networkReason(error: Error | undefined): string {
  const code = codeOf(error);
  const known = byCode[code];
  if (known) return `${known} (${code})`;
  if (error?.name === 'HTTPParserError') return 'the answer is not HTTP, or was cut off';
  if (/^(Z_|ERR__?BROTLI|ERR_BROTLI)/.test(code)) return `the answer cannot be decompressed (${code})`;
  if (/CERT|SSL|TLS|ISSUER|SIGNED|ALTNAME/.test(code)) return `the provider's certificate was not accepted (${code})`;
  return code === '' ? 'the connection failed' : `the connection failed (${code})`;
}

/** Connections to several addresses fail together, with an error for each. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return /^\w{1,64}$/.test(error.code) ? error.code : '';
  return error instanceof AggregateError ? codeOf(error.errors[0]) : codeOf(error.cause);
}
