// The process of the attacking tenant. attacker.ts forks it.
import type { Measures } from '../stats.ts';
import { attacks } from './attacks.ts';
import type { Target } from './target.ts';

export type AttackerMessage = { kind: 'prepared' } | { kind: 'over'; measures: Measures };

export interface AttackerOptions extends Target {
  attack: string;
  size: number;
}

const { attack, size, ...target }: AttackerOptions = JSON.parse(process.argv[2] ?? '{}');
const chosen = attacks.find(({ name }) => name === attack);
if (!chosen) throw new Error(`there is no attack ${attack}`);

const tell = (message: AttackerMessage): void => void process.send?.(message);

process.on('disconnect', () => process.exit());
process.once('message', () => {
  void chosen.strike(target, size).then((measures) => tell({ kind: 'over', measures }));
});
await chosen.prepare?.(target, size);
tell({ kind: 'prepared' });
