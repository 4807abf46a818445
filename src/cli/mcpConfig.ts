/** Where a client finds the agent tools, and with which key. */
export interface McpAddress {
  url: string;
  key: string;
}

interface McpClient {
  /** The file that holds the configuration. */
  file: string;
  write(address: McpAddress): string;
}

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

/** TOML writes basic strings as JSON does. */
const quoted = (text: string): string => JSON.stringify(text);

const headersOf = ({ key }: McpAddress) => ({ Authorization: `Bearer ${key}` });

/** The clients whose configuration is known. */
export const mcpClients = {
  'claude-code': {
    file: '.mcp.json in the folder of your project',
    write: (address) =>
      json({ mcpServers: { holdfast: { type: 'http', url: address.url, headers: headersOf(address) } } }),
  },
  codex: {
    file: '~/.codex/config.toml',
    write: (address) =>
      [
        '[mcp_servers.holdfast]',
        `url = ${quoted(address.url)}`,
        `http_headers = { Authorization = ${quoted(headersOf(address).Authorization)} }`,
        '',
      ].join('\n'),
  },
  cursor: {
    file: '.cursor/mcp.json in the folder of your project, or ~/.cursor/mcp.json',
    write: (address) => json({ mcpServers: { holdfast: { url: address.url, headers: headersOf(address) } } }),
  },
  vscode: {
    file: '.vscode/mcp.json in the folder of your project',
    write: (address) =>
      json({ servers: { holdfast: { type: 'http', url: address.url, headers: headersOf(address) } } }),
  },
} as const satisfies Record<string, McpClient>;

export type McpClientName = keyof typeof mcpClients;

/** The configuration of a client, with the address and the key. */
export const mcpConfig = (client: McpClientName, address: McpAddress): string => mcpClients[client].write(address);
