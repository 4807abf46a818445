import type { ReactNode } from 'react';
import { printExact } from '../../data/exactJson.ts';
import { useRead } from '../../data/queries.ts';
import { Answer, Empty } from '../../design/index.ts';
import { Payload } from '../../payload/Payload.tsx';
import { runPayloadsDocument } from './runDocuments.ts';
import styles from './StepPanel.module.css';

/** The input and the result, read when they are opened. */
export function RunPayloads({ id }: { id: string }): ReactNode {
  const read = useRead(runPayloadsDocument, { id }, { hasPayloads: true });
  return (
    <Answer read={read} skeleton={{ rows: 6 }}>
      {({ run }) => (
        <div className={styles['content']}>
          {run?.input == null ? (
            <Empty title="The run has no input" />
          ) : (
            <Payload what="Input" text={printExact(run.input)} />
          )}
          {run?.result != null && <Payload what="Result" text={printExact(run.result)} />}
        </div>
      )}
    </Answer>
  );
}
