import { spawn } from 'node:child_process';

interface Surroundings {
  platform: NodeJS.Platform;
  env: Record<string, string | undefined>;
}

/** The program that opens an address. A shell would read the address as code. */
function openerOf({ platform, env }: Surroundings): [command: string, args: string[]] | undefined {
  if (platform === 'darwin') return ['open', []];
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler']];
  // Without a display, `xdg-open` would start a browser in the terminal.
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open', []] : undefined;
}

/** A program that still runs after this time, in ms, is the browser itself. */
const patienceMs = 5_000;

/** Opens an address in the browser of the system. Resolves with false if that failed. */
export function browse(address: string, surroundings: Surroundings): Promise<boolean> {
  const opener = openerOf(surroundings);
  if (!opener) return Promise.resolve(false);
  const [command, args] = opener;
  return new Promise((resolve) => {
    const child = spawn(command, [...args, address], { stdio: 'ignore', detached: true });
    const timer = setTimeout(() => resolve(true), patienceMs);
    const settle = (isOpen: boolean): void => {
      clearTimeout(timer);
      resolve(isOpen);
    };
    child.on('error', () => settle(false));
    child.on('exit', (code) => settle(code === 0));
    child.unref();
  });
}
