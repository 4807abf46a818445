import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const cli = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');
const document = fileURLToPath(new URL('../../openapi.json', import.meta.url));

test('openapi.json breaks no rule of Redocly’s recommended set', () => {
  const args = [cli, 'lint', document, '--extends=recommended', '--format=json'];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  const { problems } = JSON.parse(stdout === '' ? `{"problems":${JSON.stringify(stderr)}}` : stdout);
  const shown = problems.map(({ ruleId, message, location: [at] }: Problem) => `${ruleId}: ${message} ${at?.pointer}`);
  expect(shown).toEqual([]);
});

interface Problem {
  ruleId: string;
  message: string;
  location: { pointer?: string }[];
}
