import { runCli } from '../../src/cli/runCli.ts';

export interface CliResult {
  code: number;
  out: string;
  err: string;
}

/** Runs a command in this process. */
export async function cli(env: Record<string, string | undefined>, ...args: string[]): Promise<CliResult> {
  const result = { code: 0, out: '', err: '' };
  result.code = await runCli(args, {
    env,
    out: (text) => {
      result.out += text;
    },
    err: (text) => {
      result.err += text;
    },
  });
  return result;
}
