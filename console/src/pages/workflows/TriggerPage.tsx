import { getRouteApi } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ExactText } from '../../data/exactText.ts';
import { formErrors } from '../../data/fieldErrors.ts';
import { useAct, useRead } from '../../data/queries.ts';
import {
  Answer,
  Button,
  Field,
  PageHead,
  Panel,
  Stack,
  TextField,
  TroubleNote,
  visibleText,
} from '../../design/index.ts';
import { indentJson } from '../../payload/indentJson.ts';
import { JsonField } from '../../payload/JsonField.tsx';
import { PageLink, useGo } from '../../router/PageLink.tsx';
import { useTitle } from '../../router/useTitle.ts';
import { useRefusal } from '../../session/rights.ts';
import { Outcomes } from '../events/Outcomes.tsx';
import { tagsIn } from '../events/tagLines.ts';
import { runnersDocument } from '../runners/runnerDocuments.ts';
import { splitRunners } from '../runners/runnerGroups.ts';
import styles from './Workflows.module.css';
import { latestInputDocument, triggerDocument, workflowRunsDocument } from './workflowDocuments.ts';

const route = getRouteApi('/p/$project/workflows/$app/$name/trigger');

/** Starts a run of a workflow. The input starts from that of its latest run. */
export default function TriggerPage(): ReactNode {
  const { app, name } = route.useParams();
  useTitle(`Start ${visibleText(name)}`);
  const read = useRead(latestInputDocument, { filter: { app, workflow: name } }, { hasPayloads: true });
  return (
    <Stack>
      <PageHead above={<PageLink to={['workflows', app, name]}>{visibleText(name)}</PageLink>} title="Start a run" />
      <Answer read={read} skeleton={{ rows: 5 }}>
        {({ runs }) => <TriggerForm app={app} name={name} latest={runs.nodes[0]?.inputPayload?.text} />}
      </Answer>
    </Stack>
  );
}

function TriggerForm({ app, name, latest }: { app: string; name: string; latest: string | undefined }): ReactNode {
  const [input, setInput] = useState(() => (latest ? indentJson(latest) : '{}'));
  const [tags, setTags] = useState('');
  const [runner, setRunner] = useState('');
  const [dedupeId, setDedupeId] = useState('');
  const [outcome, setOutcome] = useState<Parameters<typeof Outcomes>[0]['outcomes'][number]>();
  const runners = useRead(runnersDocument, { app });
  const go = useGo();
  const refusal = useRefusal('start');
  const trigger = useAct(triggerDocument, {
    refreshes: [workflowRunsDocument] as never,
    onDone: ({ triggerWorkflow }) => {
      if (triggerWorkflow?.runId) go(['runs', triggerWorkflow.runId]);
      else setOutcome(triggerWorkflow ?? undefined);
    },
    isQuiet: true,
  });
  const errors = formErrors(trigger.error, ['input', 'tags', 'runner', 'dedupeId'] as const);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (refusal) return;
    trigger.act({
      input: {
        app,
        name,
        input: input.trim() === '' ? undefined : new ExactText(input),
        tags: tagsIn(tags),
        runner: runner.trim() || undefined,
        dedupeId: dedupeId.trim() || undefined,
      },
    });
  };
  return (
    <>
      <Panel title="The run" hasHiddenTitle>
        <form className={styles['form']} onSubmit={submit}>
          {errors.trouble && <TroubleNote trouble={errors.trouble} isNarrow />}
          <JsonField
            label="Input"
            rows={12}
            hint={latest ? 'That of the latest run. Ctrl Enter starts the run.' : 'Ctrl Enter starts the run.'}
            value={input}
            error={errors.at.input}
            onText={setInput}
          />
          <div className={styles['row']}>
            <TextField
              label="Tags"
              rows={2}
              hint="One key=value in a line."
              value={tags}
              error={errors.at.tags}
              onChange={(event) => setTags(event.target.value)}
            />
            <Field
              label="Only on the runner"
              suggestions={
                runners.data && splitRunners(runners.data.runners, name).live.map(({ runnerId }) => runnerId)
              }
              value={runner}
              error={errors.at.runner}
              onChange={(event) => setRunner(event.target.value)}
            />
            <Field
              label="Dedupe id"
              hint="A repeat within the window starts no run."
              value={dedupeId}
              error={errors.at.dedupeId}
              onChange={(event) => setDedupeId(event.target.value)}
            />
          </div>
          <div>
            <Button type="submit" kind="primary" icon={Play} refusal={refusal} isBusy={trigger.isBusy}>
              Start
            </Button>
          </div>
        </form>
      </Panel>
      {outcome && (
        <Panel title="No run started at once" isFlush>
          <Outcomes outcomes={[outcome]} />
        </Panel>
      )}
    </>
  );
}
