/** Where the files of this library are; undefined if a bundler put them into another file. */
const ownRoot = typeof import.meta.url === 'string' ? rootOf(import.meta.url) : undefined;

function rootOf(url: string): string | undefined {
  const [, root] = /^file:\/\/(.*\/)(?:dist|src)\/execute\/userStack\.[jt]s$/.exec(url) ?? [];
  return root === undefined ? undefined : decodeURI(root);
}

/** The stack of an error without the frames of this library and of Node, which help no user. */
export function userStack({ name, message, stack }: Error): string {
  if (stack === undefined) return `${name}: ${message}`;
  // A message may hold lines that look like frames.
  const at = stack.indexOf(message);
  const headEnd = at < 0 ? 0 : at + message.length;
  const frames = stack.slice(headEnd).split('\n');
  return stack.slice(0, headEnd) + frames.filter((line) => !isForeign(line)).join('\n');
}

function isForeign(line: string): boolean {
  if (!/^\s+at /.test(line)) return false;
  if (/[( ]node:(?:internal\/|async_hooks:)/.test(line)) return true;
  return ownRoot !== undefined && (line.includes(`${ownRoot}dist/`) || line.includes(`${ownRoot}src/`));
}
