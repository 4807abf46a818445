import type { ReactNode } from 'react';
import { Stack } from './PageHead.tsx';
import { Answer, type Read } from './Panel.tsx';

interface ThingPageProps<Data, Thing> {
  read: Read<Data>;
  /** The thing of an answer; null if there is none. */
  thingOf: (data: Data) => Thing | null | undefined;
  /**
   * A `PageHead` with the way back and a name. It stays while the page loads or fails: undefined is
   * a thing that is not known yet, null one that is not there.
   */
  head: (thing: Thing | null | undefined) => ReactNode;
  /** Says that there is no such thing. */
  missing: ReactNode;
  /** The parts of the page, one below the other. */
  children: (thing: Thing) => ReactNode;
}

/** A page about one thing: its head is there in all states, its parts once the thing is known. */
export function ThingPage<Data, Thing>({
  read,
  thingOf,
  head,
  missing,
  children,
}: ThingPageProps<Data, Thing>): ReactNode {
  // Old data is about another thing than the one that the address names.
  const known = read.data === undefined || read.isOld ? undefined : (thingOf(read.data) ?? null);
  return (
    <Stack>
      {head(known)}
      <Answer
        read={read}
        skeleton={{ rows: 6, height: '3rem' }}
        isEmpty={(data) => thingOf(data) == null}
        empty={missing}
      >
        {(data) => {
          const thing = thingOf(data);
          return thing && <Stack>{children(thing)}</Stack>;
        }}
      </Answer>
    </Stack>
  );
}
