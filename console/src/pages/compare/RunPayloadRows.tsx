import type { ReactNode } from 'react';
import { ask, useRead } from '../../data/queries.ts';
import { Answer, Badge, Empty, Panel } from '../../design/index.ts';
import { wholePayloadsDocument } from '../run/payloadDocuments.ts';
import { comparePayloads } from './alignSteps.ts';
import styles from './Compare.module.css';
import { openedRunDocument } from './compareDocuments.ts';
import type { CompareSearch } from './compareSearch.ts';
import { FoldButton } from './FoldButton.tsx';
import { PayloadPair } from './PayloadPair.tsx';
import type { ComparedRun } from './useComparedRun.ts';

interface RunPayloadRowsProps {
  before: ComparedRun;
  after: ComparedRun;
  search: CompareSearch;
  onChange: (search: CompareSearch) => void;
}

const payloads = [
  { name: 'input', label: 'Input', field: 'inputPayload' },
  { name: 'result', label: 'Result', field: 'resultPayload' },
] as const;

type Field = (typeof payloads)[number]['field'];

/** Input and result of the runs, each of which opens as a diff. */
export function RunPayloadRows({ before, after, search, onChange }: RunPayloadRowsProps): ReactNode {
  return (
    <Panel title="Input and result" isFlush>
      <ul>
        {payloads.map(({ name, label, field }) => {
          const isOpen = search.open === name;
          const state = comparePayloads(before[field], after[field]);
          const toggle = (): void =>
            onChange({ ...search, open: isOpen ? undefined : name, step: undefined, closed: true });
          return (
            <li key={name} className={styles['payload']}>
              <div className={styles['line']}>
                <FoldButton isOpen={isOpen} onPress={toggle}>
                  {label}
                </FoldButton>
                <Badge tone={state === 'different' ? 'hold' : 'idle'}>
                  {state === 'different' ? 'different' : state === 'same' ? 'alike' : 'same size'}
                </Badge>
              </div>
              {isOpen && <OpenPayload before={before.id} after={after.id} label={label} field={field} />}
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

interface OpenPayloadProps {
  before: string;
  after: string;
  label: string;
  field: Field;
}

function OpenPayload({ before, after, label, field }: OpenPayloadProps): ReactNode {
  const left = useRead(openedRunDocument, { id: before }, { hasPayloads: true });
  const right = useRead(openedRunDocument, { id: after }, { hasPayloads: true });
  const whole = async (id: string): Promise<string | undefined> =>
    (await ask(wholePayloadsDocument, { id })).run?.[field]?.text;
  return (
    <div className={styles['opened']}>
      <Answer read={left}>
        {({ run: one }) => (
          <Answer read={right}>
            {({ run: other }) =>
              one?.[field] || other?.[field] ? (
                <PayloadPair
                  what={label}
                  before={one?.[field]}
                  after={other?.[field]}
                  readAll={() => Promise.all([whole(before), whole(after)])}
                />
              ) : (
                <Empty title={`Neither run has ${label === 'Input' ? 'an input' : 'a result'}`} />
              )
            }
          </Answer>
        )}
      </Answer>
    </div>
  );
}
