import { describe, expect, it } from 'vitest';
import { createLog } from '../src/log.ts';
import { loadSettings } from '../src/settings.ts';

interface Output {
  env?: Record<string, string>;
  isTerminal?: boolean;
  hasColors?: boolean;
}

/** The log of a process, and the lines that it has written so far. */
function logTo({ env = {}, isTerminal = false, hasColors = false }: Output) {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  return { log: createLog(loadSettings(env), { stream, isTerminal, hasColors }), lines };
}

describe('the log', () => {
  it('is JSON lines where nobody reads along', () => {
    const { log, lines } = logTo({});
    log.info({ runId: 'r' }, 'lease lost');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 30, runId: 'r', msg: 'lease lost' });
    expect(lines[0]).toMatch(/\n$/);
  });

  it('is readable lines on a terminal, with colour where the terminal has it', () => {
    const plain = logTo({ isTerminal: true });
    plain.log.warn({ runId: 'r' }, 'lease lost');
    expect(plain.lines).toEqual([
      expect.stringMatching(/^\[\d\d:\d\d:\d\d\.\d{3}\] WARN: lease lost \{"runId":"r"\}\n$/),
    ]);
    const coloured = logTo({ isTerminal: true, hasColors: true });
    coloured.log.warn('lease lost');
    expect(coloured.lines[0]).toContain('\u001b[33mWARN\u001b[39m');
  });

  it.each([
    ['json', true, /^\{"level":30,/],
    ['pretty', false, /^\[.*\] INFO: /],
  ] as const)('is %s where LOG_FORMAT says so', (format, isTerminal, line) => {
    const { log, lines } = logTo({ env: { LOG_FORMAT: format }, isTerminal });
    log.info('said');
    expect(lines[0]).toMatch(line);
  });

  it('shows runners without the query of their URL', () => {
    const { log, lines } = logTo({});
    const url = 'https://run.example/hook?code=s3cret#x';
    log.child({ runnerId: url }).info({ url, runner: url }, 'invoke unanswered');
    const shown = 'https://run.example/hook?…';
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ runnerId: shown, runner: shown, url: shown });
    log.info({ runner: 'what?' }, 'invoke unanswered');
    expect(lines[1]).toContain('"what?"');
  });

  it.each(['err', 'error'])('shows the stack of an error under %s', (key) => {
    const { log, lines } = logTo({ isTerminal: true });
    log.error({ [key]: new Error('broken') }, 'failed');
    expect(lines[0]).toMatch(/ERROR: failed\s[\s\S]*Error: broken\n\s+at .*log\.test\.ts/);
  });

  it('lets no text from elsewhere steer the terminal', () => {
    const { log, lines } = logTo({ isTerminal: true });
    const bad = 'a\u001b[2J\u009b1m\rb\n\tc';
    log.error({ err: new Error(bad), workflow: bad }, bad);
    expect(lines[0]).not.toMatch(/[^\P{Control}\n\t]/u);
    expect(lines[0]).toContain('ERROR: a?[2J?1m?b\n\tc');
  });

  it('writes each line before the call returns', () => {
    const { log, lines } = logTo({ isTerminal: true });
    log.info('one');
    expect(lines).toHaveLength(1);
  });
});
