import type { ReactNode } from 'react';
import { useRead } from '../../data/queries.ts';
import {
  Answer,
  Cell,
  costText,
  countText,
  Duration,
  Empty,
  Head,
  Status,
  Table,
  visibleText,
} from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import { aiCallsOf } from './aiBlock.ts';
import { aiStepsDocument } from './sessionDocuments.ts';

/** The steps of a run that called models, each a link to the step. */
export function AiSteps({ runId }: { runId: string }): ReactNode {
  const read = useRead(aiStepsDocument, { id: runId }, { hasPayloads: true });
  const steps = (read.data?.run?.stepPage.nodes ?? []).flatMap((step) => {
    const calls = aiCallsOf(step.ai);
    return calls ? [{ ...step, calls }] : [];
  });
  return (
    <Answer
      read={read}
      isEmpty={() => steps.length === 0}
      empty={<Empty title="None of the first 1000 steps called a model" />}
    >
      {() => (
        <Table
          label={`Calls of models of run ${runId}`}
          head={
            <>
              <Head>Step</Head>
              <Head>Model</Head>
              <Head>Status</Head>
              <Head isNumber>Cost</Head>
              <Head isNumber>Tokens</Head>
              <Head isNumber>Duration</Head>
            </>
          }
        >
          {steps.map(({ index, attempt, name, status, durationMs, calls }) => (
            <tr key={`${index}.${attempt}`}>
              <Cell>
                <PageLink to={['runs', runId]} search={{ step: `${index}.${attempt}` }}>
                  {visibleText(name)}
                </PageLink>
              </Cell>
              <Cell>{calls.models.length > 0 ? visibleText(calls.models.join(', ')) : 'not reported'}</Cell>
              <Cell>
                <Status status={status} />
              </Cell>
              <Cell isNumber>{costText(calls, calls.unpriced)}</Cell>
              <Cell isNumber>{countText(calls.tokens)}</Cell>
              <Cell isNumber>
                <Duration ms={durationMs} />
              </Cell>
            </tr>
          ))}
        </Table>
      )}
    </Answer>
  );
}
