import type { ReactNode } from 'react';
import { ask, useRead } from '../../data/queries.ts';
import { Answer, Empty } from '../../design/index.ts';
import { Payload } from '../../payload/Payload.tsx';
import { runPayloadsDocument, wholePayloadsDocument } from './payloadDocuments.ts';
import styles from './StepPanel.module.css';

/** The input and the result, read when they are opened. */
export function RunPayloads({ id }: { id: string }): ReactNode {
  const read = useRead(runPayloadsDocument, { id }, { hasPayloads: true });
  return (
    <Answer read={read} skeleton={{ rows: 6 }}>
      {({ run }) => (
        <div className={styles['content']}>
          {run?.inputPayload ? (
            <Payload
              what="Input"
              text={run.inputPayload.head}
              bytes={run.inputPayload.bytes}
              readAll={async () => (await whole(id))?.inputPayload?.text ?? ''}
            />
          ) : (
            <Empty title="The run has no input" />
          )}
          {run?.resultPayload && (
            <Payload
              what="Result"
              text={run.resultPayload.head}
              bytes={run.resultPayload.bytes}
              readAll={async () => (await whole(id))?.resultPayload?.text ?? ''}
            />
          )}
        </div>
      )}
    </Answer>
  );
}

const whole = async (id: string) => (await ask(wholePayloadsDocument, { id })).run;
