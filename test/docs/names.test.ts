import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../support/build.ts';
import { pages } from './pages.ts';

/** Words of other programs and formats, which the sources need not hold: add yours. */
const foreign = new Set(
  `curl ulimit pg_dump openssl shm nodenext moduleResolution dom tsconfig stream finalMessage generateObject embedMany
  overloaded_error gen_ai top_p stop_sequences finish_reasons cache_read cache_creation dimension _res req locations
  Idempotency Cookie Proxy Security Retry Vary tini terminationGracePeriodSeconds stopTimeout continueAsNew America New_York reboot
  sessionStorage localStorage Referrer Cross Opener Permissions T00 whsec_test mcp__holdfast__debug_run`.split(/\s+/),
);

/** Texts of other programs. */
const foreignTexts = ['terminating connection due to idle-in-transaction timeout'];

const wordsOf = (text: string): string[] => text.match(/[A-Za-z_]\w*/g) ?? [];

/** Files of the last commit and of the change under way. */
function projectFiles(): string[] {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', list, { cwd: projectRoot, encoding: 'utf8' }).trim().split('\n');
  return files.filter((file) => existsSync(join(projectRoot, file)));
}

/** All that the project's own code says, without its documentation. */
let sources: string;
let words: Set<string>;
let templates: RegExp[];

beforeAll(() => {
  const files = projectFiles();
  const isSource = (file: string): boolean =>
    /^(src|sdk|console|scripts|codegen|prisma|examples|bench|deploy|schema\.graphql|openapi\.json|package\.json|\.ci)\b/.test(
      file,
    ) && !/\.md$/.test(file);
  const code = files.filter(isSource).map((file) => readFileSync(join(projectRoot, file), 'utf8'));
  // A long text is broken into parts that are added.
  sources = code.join('\n').replace(/['"`]\s*\+\s*['"`]/g, '');
  const tests = files
    .filter((file) => file.startsWith('test/random/'))
    .map((file) => readFileSync(join(projectRoot, file), 'utf8'));
  words = new Set(wordsOf([sources, ...files, ...tests].join('\n')));
  templates = templatesOf(sources);
});

/** A pattern for each template with at least three words of its own. */
function templatesOf(code: string): RegExp[] {
  const literals = [...code.matchAll(/`((?:[^`\\]|\\.)*\$\{(?:[^`\\]|\\.)*)`/g)].map(([, literal = '']) => literal);
  return literals
    .map((literal) => literal.split(/\$\{[^}]*\}/))
    .filter((parts) => (parts.join(' ').match(/[a-z]{2,}/g) ?? []).length >= 3 && !parts.join('').includes('\n'))
    .map((parts) => new RegExp(parts.map(escaped).join('.+')));
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Whether a span is a sentence or a part of one, as errors and log lines are. */
const isText = (span: string): boolean =>
  /^[a-z][\w'’-]*:?( [\w'’./-]+[,:;.]?){2}( [\w'’<>()?./-]+[,:;.]?…?)*$/i.test(span) && !isCommand(span);
const isCommand = (span: string): boolean =>
  /^(npm|npx|node|git|curl|psql|kill|docker|systemctl|sudo|export) /.test(span);

function isSaid(text: string): boolean {
  if (sources.includes(text) || foreignTexts.includes(text)) return true;
  if (templates.some((template) => template.test(text))) return true;
  // The code has an expression where the page has a value or a placeholder.
  const parts = text.split(/<[^>]*>|…|\d[\d.]*/).map(escaped);
  return parts.length > 1 && new RegExp(parts.join('.{1,80}?')).test(sources);
}

describe('the page', () => {
  /** Whether the code has a name, or one that begins or ends with it, as `create_run` does. */
  function isName(word: string): boolean {
    if (word.length < 3 || words.has(word) || foreign.has(word) || /^[0-9a-f]+$/.test(word)) return true;
    if (!word.includes('_')) return false;
    return [...words].some((name) => name.endsWith(`_${word}`) || (word.endsWith('_') && name.startsWith(word)));
  }

  it.each(pages)('$path uses only names that the code has', ({ blocks, spans }) => {
    const own = new Set(blocks.flatMap(({ code }) => wordsOf(code)));
    const isKnown = (word: string): boolean => own.has(word) || isName(word);
    const unknown = spans.filter((span) => !isText(span) && !isCommand(span) && !wordsOf(span).every(isKnown));
    expect(unknown).toEqual([]);
  });

  it.each(pages)('$path quotes only texts that the code says', ({ blocks, spans }) => {
    const shown = blocks.map(({ code }) => code).join('\n');
    expect(spans.filter((span) => isText(span) && !isSaid(span) && !shown.includes(span))).toEqual([]);
  });
});
