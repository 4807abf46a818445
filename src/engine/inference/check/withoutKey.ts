/** Shorter stretches tell too little of a key to matter. */
const tellingLength = 8;

/** A text without any stretch of 8 or more characters of a key. A shorter key is removed whole. */
export function withoutKey(text: string, apiKey: string): string {
  const least = Math.min(tellingLength, apiKey.length);
  if (least === 0) return text;
  let shown = '';
  for (let at = 0; at < text.length; ) {
    const length = stretchAt(text, at, { apiKey, least });
    shown += length > 0 ? '…' : text.charAt(at);
    at += length || 1;
  }
  return shown;
}

/** The length of the stretch of the key that begins here; 0 for none. */
function stretchAt(text: string, at: number, { apiKey, least }: { apiKey: string; least: number }): number {
  if (at + least > text.length || !apiKey.includes(text.slice(at, at + least))) return 0;
  let length = least;
  while (at + length < text.length && apiKey.includes(text.slice(at, at + length + 1))) length += 1;
  return length;
}
