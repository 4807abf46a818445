import { isFinal, statusLook, visibleText } from '../../design/index.ts';
import { type Difference, isAlike, parts, type Row } from './alignSteps.ts';

const words: Record<Exclude<Difference, 'absent'>, string> = {
  status: 'status',
  kind: 'kind of step',
  input: 'input',
  output: 'output',
  attempts: 'attempts',
  order: 'order',
};

/** The differences of a row in a few words. */
export function differenceText({ differences, before, isUnread }: Row): string {
  if (differences.length === 0) return isUnread ? 'same size' : 'alike';
  if (differences.includes('absent')) return before ? 'only in the earlier run' : 'only in the later run';
  return differences.map((each) => (each === 'absent' ? '' : words[each])).join(', ');
}

interface Ends {
  hasBeforeEnded: boolean;
  hasAfterEnded: boolean;
}

/** Where two runs part, in a sentence. Steps that an unfinished run has not begun do not count. */
export function partingText(rows: readonly Row[], ends: Ends): { row: Row | undefined; text: string } {
  const row = rows.find((each) => parts(each) && !isStillToCome(each, ends));
  if (row) return { row, text: sentenceOf(row, rows.indexOf(row)) };
  const isOver = ends.hasBeforeEnded && ends.hasAfterEnded;
  if (rows.length === 0) return { row, text: isOver ? 'Neither run has a step.' : 'No step has begun yet.' };
  if (rows.some(({ isUnread }) => isUnread))
    return { row, text: 'No difference found so far. Payloads of equal size are compared when they are opened.' };
  return { row, text: isOver ? 'The runs do not part: all steps are alike.' : 'The runs have not parted so far.' };
}

/** An unfinished run may still begin the step that it lacks, or end the one that it executes. */
const isStillToCome = ({ before, after }: Row, { hasBeforeEnded, hasAfterEnded }: Ends): boolean =>
  (!hasAfterEnded && !(after && isFinal(after.status))) || (!hasBeforeEnded && !(before && isFinal(before.status)));

function sentenceOf(row: Row, at: number): string {
  const where = `The runs part at step ${at + 1}, “${visibleText(row.name)}”`;
  const { before, after, differences } = row;
  if (!after) return `${where}: the later run does not have it.`;
  if (!before) return `${where}: the earlier run does not have it.`;
  if (differences.includes('status')) return `${where}: first ${wordOf(before.status)}, then ${wordOf(after.status)}.`;
  if (differences.includes('kind')) return `${where}: it is another kind of step.`;
  const both = differences.includes('input') && differences.includes('output');
  if (both) return `${where}: its input and its output differ.`;
  return `${where}: its ${differences.includes('input') ? 'input' : 'output'} differs.`;
}

const wordOf = (status: string): string => statusLook(status).label.toLowerCase();

/** How many rows are alike, differ, or are in one run only. */
export function countsText(rows: readonly Row[]): string {
  const alike = rows.filter(isAlike).length;
  const unread = rows.filter(({ differences, isUnread }) => isUnread && differences.length === 0).length;
  const absent = rows.filter(({ differences }) => differences.includes('absent'));
  const removed = absent.filter(({ before }) => before).length;
  const counts: [count: number, words: string][] = [
    [alike, 'alike'],
    [unread, 'of the same size'],
    [rows.length - alike - unread - absent.length, 'different'],
    [removed, 'only in the earlier run'],
    [absent.length - removed, 'only in the later run'],
  ];
  const told = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return told.length > 0 ? told.join(' · ') : 'no steps';
}
