import type { ASTNode, BinaryOperator } from '@marcbachmann/cel-js';
import { bounded } from './environment.ts';

/** Macros that loop over a list, or over the keys of a map. */
export const loopMacros: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

/** The price of a lookup in a time zone's calendar. */
const zoneToll = 3000;

/** `size` counts the characters of a text one by one. */
const sizeLooks = 4;

/**
 * Methods that search a text for a text. Each character can cost as many looks as the sought text
 * is long.
 */
const searches: ReadonlySet<string> = new Set(['indexOf', 'lastIndexOf', 'split']);

/** The looks charged for a search whose sought text is unknown. */
const unknownSearch = 70;

/**
 * Rewrites a checked guard so that its evaluation is bounded. Loops are charged before they start,
 * and operations of linear time by the length of their value. Patterns run on RE2, and equality is
 * CEL's own. The evaluator itself has no budget.
 */
export function rewriteBounded(node: ASTNode): string {
  switch (node.op) {
    case 'value':
      return node.input.slice(node.start, node.end);
    case 'id':
      return node.args;
    case '.':
      return `${operand(node.args[0])}.${node.args[1]}`;
    case '[]':
      return `${operand(node.args[0])}[${rewriteBounded(node.args[1])}]`;
    case '!_':
      return `!${unaryOperand(node.args)}`;
    case '-_':
      return `-${unaryOperand(node.args)}`;
    case '?:':
      return `${operand(node.args[0])} ? ${operand(node.args[1])} : ${operand(node.args[2])}`;
    case 'list':
      return `[${node.args.map(rewriteBounded).join(', ')}]`;
    case 'map':
      return `{${node.args.map(([key, value]) => `${operand(key)}: ${operand(value)}`).join(', ')}}`;
    case 'call':
      return rewriteCall(node.args[0], node.args[1]);
    case 'rcall':
      return rewriteMethod(node.args[0], node.args[1], node.args[2]);
    case '.?':
    case '[?]':
      throw new Error('optional access is not enabled');
    default:
      return rewriteOperator(node);
  }
}

type OperatorNode = Extract<ASTNode, { op: BinaryOperator | '&&' | '||' }>;

function rewriteOperator(node: OperatorNode): string {
  const [left, right] = node.args;
  switch (node.op) {
    case '&&':
    case '||':
      // Keep a chain flat: each pair of parentheses costs the parser a dozen stack frames.
      return `${left.op === node.op ? rewriteBounded(left) : operand(left)} ${node.op} ${operand(right)}`;
    case '==':
      return call(bounded.equals, left, right);
    case '!=':
      return `!${call(bounded.equals, left, right)}`;
    case 'in':
      return call(bounded.isIn, left, right);
    case '+':
      return `${copied(left)} + ${copied(right)}`;
    default:
      return `${touched(left)} ${node.op} ${touched(right)}`;
  }
}

function rewriteCall(name: string, args: readonly ASTNode[]): string {
  const [first, second] = args;
  if (name === 'has' && first) return `has(${selection(first)})`;
  if (name === 'matches' && first && second) return matchesCall(first, second);
  const looks = name === 'size' ? sizeLooks : 1;
  return `${name}(${args.map((arg) => touched(arg, looks)).join(', ')})`;
}

function rewriteMethod(name: string, receiver: ASTNode, args: readonly ASTNode[]): string {
  const [first, ...rest] = args;
  if (loopMacros.has(name) && first && rest.length > 0) {
    const nodes = rest.reduce((sum, each) => sum + countNodes(each), 0);
    const body = [first, ...rest].map(rewriteBounded).join(', ');
    return `${bounded.range}(${rewriteBounded(receiver)}, ${nodes}).${name}(${body})`;
  }
  if (name === 'matches' && first) return matchesCall(receiver, first);
  if (name === 'contains' && first) return call(bounded.contains, receiver, first);
  if (name === 'bind') return `${operand(receiver)}.bind(${args.map(rewriteBounded).join(', ')})`;
  return `${subject(name, receiver, first)}.${name}(${args.map((arg) => touched(arg)).join(', ')})`;
}

/** The receiver of a method, with the charge for the method. */
function subject(name: string, receiver: ASTNode, first: ASTNode | undefined): string {
  if (name === 'join') return copied(receiver);
  if (name.startsWith('get') && first) return `${bounded.toll}(${rewriteBounded(receiver)}, ${zoneToll})`;
  if (!searches.has(name)) return touched(receiver, name === 'size' ? sizeLooks : 1);
  const sought = first?.op === 'value' && typeof first.args === 'string' ? first.args.length : undefined;
  // `split` also makes a list.
  const looks = (sought === undefined ? unknownSearch : 1 + Math.ceil(sought / 15)) + (name === 'split' ? 15 : 0);
  return `${bounded.touch}(${rewriteBounded(receiver)}, ${looks})`;
}

const call = (name: string, left: ASTNode, right: ASTNode): string =>
  `${name}(${rewriteBounded(left)}, ${rewriteBounded(right)})`;

/** Literal patterns were compiled when the guard was checked. */
const matchesCall = (text: ASTNode, pattern: ASTNode): string =>
  call(pattern.op === 'value' ? bounded.matchesLiteral : bounded.matches, text, pattern);

/** Charges for the length of a value. The source limits the length of a literal. */
const touched = (node: ASTNode, looks = 1): string =>
  node.op === 'value' ? operand(node) : `${bounded.touch}(${rewriteBounded(node)}, ${looks})`;

const copied = (node: ASTNode): string =>
  node.op === 'value' ? operand(node) : `${bounded.copy}(${rewriteBounded(node)})`;

/** The argument of `has` must stay a chain of selections. */
function selection(node: ASTNode): string {
  return node.op === '.' ? `${selection(node.args[0])}.${node.args[1]}` : rewriteBounded(node);
}

/** Adds parentheses unless no operator binds tighter. */
function operand(node: ASTNode): string {
  const written = rewriteBounded(node);
  switch (node.op) {
    case 'id':
    case '.':
    case '[]':
    case 'call':
    case 'rcall':
    case 'list':
    case 'map':
      return written;
    case 'value':
      return typeof node.args === 'string' ? written : `(${written})`;
    default:
      return `(${written})`;
  }
}

/** Keeps `!!x` and `--x` flat, too. */
const unaryOperand = (node: ASTNode): string =>
  node.op === '!_' || node.op === '-_' ? rewriteBounded(node) : operand(node);

function countNodes(node: ASTNode): number {
  return childrenOf(node).reduce((sum, child) => sum + countNodes(child), 1);
}

export function childrenOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case 'value':
    case 'id':
      return [];
    case '.':
    case '.?':
      return [node.args[0]];
    case '!_':
    case '-_':
      return [node.args];
    case 'call':
      return node.args[1];
    case 'rcall':
      return [node.args[1], ...node.args[2]];
    case 'map':
      return node.args.flat();
    default:
      return node.args;
  }
}
