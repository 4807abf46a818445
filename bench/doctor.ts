import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Stage } from './stage.ts';

interface DoctorReport {
  violations: number;
  gaveUp: number;
  checks: { check: string; violations: { message: string }[]; gaveUp?: string }[];
}

/** Runs the doctor on the stage. Throws if it finds a violation, or cannot complete a check. */
export async function examine({ database, directory }: Stage): Promise<void> {
  const main = fileURLToPath(new URL('../src/cli/main.js', import.meta.url));
  const args = [main, 'doctor', '--json', '--since', 'all', '--timeout', '10m'];
  const env = { PATH: process.env['PATH'], DATABASE_URL: database.url, DATA_DIR: directory };
  const text = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, args, { env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      // Exit code 1 means findings.
      if (stdout === '') reject(error ?? new Error(stderr));
      else resolve(stdout);
    });
  });
  const { violations, gaveUp, checks }: DoctorReport = JSON.parse(text);
  if (violations + gaveUp === 0) return;
  const found = checks.flatMap((each) => [each.gaveUp ?? [], ...each.violations.map(({ message }) => message)].flat());
  throw new Error(`the doctor found ${violations} violations:\n${found.slice(0, 20).join('\n')}`);
}
