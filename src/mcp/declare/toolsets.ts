import { HttpError } from '../../http/index.ts';
import { type Query, readQuery } from '../../rest/index.ts';

/** The groups of tools, in the order in which they are listed. */
export const toolsets = ['runs', 'workflows', 'events', 'approvals', 'docs', 'insights', 'bulk', 'webhooks'] as const;
export type Toolset = (typeof toolsets)[number];

const byDefault: readonly Toolset[] = ['runs', 'workflows', 'events', 'approvals', 'docs'];

/** What an address chose: `/mcp?toolsets=runs,webhooks&readonly=1`. */
export interface Selection {
  toolsets: ReadonlySet<Toolset>;
  readonly: boolean;
}

/** Reads the choice of an address. Throws `400` with the accepted values. */
export function readSelection(search: string): Selection {
  const query = readQuery(search);
  for (const [name] of query.entries) {
    if (name !== 'toolsets' && name !== 'readonly')
      throw new HttpError(400, 'unknown parameter: the address takes toolsets and readonly');
  }
  return { toolsets: chosen(query), readonly: isReadonly(query) };
}

function chosen(query: Query): ReadonlySet<Toolset> {
  const text = query.one('toolsets');
  if (text === undefined || text === '') return new Set(byDefault);
  const words = text.split(',').map((word) => word.trim());
  if (words.includes('all')) return new Set(toolsets);
  return new Set(
    words.map((word) => {
      const found = toolsets.find((each) => each === word);
      if (!found) throw new HttpError(400, `toolsets must be a comma list of ${toolsets.join(', ')}, or all`);
      return found;
    }),
  );
}

function isReadonly(query: Query): boolean {
  const word = query.one('readonly') ?? '0';
  if (word === '1' || word === 'true') return true;
  if (word === '0' || word === 'false' || word === '') return false;
  throw new HttpError(400, 'readonly must be 1 or 0');
}

/** A key for what depends on the choice alone. */
export const selectionKey = ({ toolsets: chosenSets, readonly }: Selection): string =>
  `${toolsets.filter((each) => chosenSets.has(each)).join(',')}:${readonly ? 'readonly' : 'all'}`;

/** What the address must name to offer a toolset beside those that it chose. */
export const addressWith = ({ toolsets: chosenSets }: Selection, toolset: Toolset): string =>
  `?toolsets=${toolsets.filter((each) => each === toolset || chosenSets.has(each)).join(',')}`;
