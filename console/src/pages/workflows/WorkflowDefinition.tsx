import { Braces, GitCompareArrows } from 'lucide-react';
import type { ReactNode } from 'react';
import type { WorkflowQuery, WorkflowVersionsQuery } from '../../data/generated/graphql.ts';
import { useRead } from '../../data/queries.ts';
import {
  Answer,
  Badge,
  Button,
  Cell,
  Columns,
  Empty,
  Head,
  Panel,
  Stack,
  Table,
  Time,
  visibleText,
} from '../../design/index.ts';
import { Diff } from '../../payload/Diff.tsx';
import { Payload } from '../../payload/Payload.tsx';
import { PageLink } from '../../router/PageLink.tsx';
import { definitionDocument, versionsDocument } from './workflowDocuments.ts';
import type { WorkflowSearch } from './workflowSearch.ts';

interface WorkflowDefinitionProps {
  workflow: NonNullable<WorkflowQuery['workflow']>;
  search: WorkflowSearch;
  onChange: (search: WorkflowSearch) => void;
}

/** The definition as its runners registered it, or what a version changed; all versions. */
export function WorkflowDefinition({ workflow, search, onChange }: WorkflowDefinitionProps): ReactNode {
  const { app, name } = workflow;
  const read = useRead(versionsDocument, { app, name }, { pollMs: 30_000 });
  const shown = search.version ?? workflow.version;
  return (
    <Columns>
      <Definition {...{ workflow, search, onChange }} version={shown} />
      <Stack>
        <Panel title="Versions" isFlush>
          <Answer
            read={read}
            skeleton={{ rows: 3 }}
            isEmpty={({ workflow: of }) => !of || of.versions.length === 0}
            empty={<Empty title="No version is recorded" />}
          >
            {({ workflow: of }) => of && <Versions workflow={workflow} of={of} shown={shown} search={search} />}
          </Answer>
        </Panel>
        <Steps steps={workflow.steps ?? []} />
      </Stack>
    </Columns>
  );
}

function Definition({
  workflow: { app, name, version: newest },
  version,
  search,
  onChange,
}: WorkflowDefinitionProps & { version: string }): ReactNode {
  const read = useRead(definitionDocument, { app, name, version, limit: 2 }, { hasPayloads: true });
  const [, before] = read.data?.workflow?.versions ?? [];
  return (
    <Panel
      title={
        <>
          Version <code>{version.slice(0, 12)}</code>{' '}
          {version === newest ? <Badge tone="good">in force</Badge> : <Badge>earlier</Badge>}
        </>
      }
      actions={
        before && (
          <Button
            icon={search.changes ? Braces : GitCompareArrows}
            onClick={() => onChange({ ...search, changes: !search.changes || undefined })}
          >
            {search.changes ? 'Show it whole' : 'Show what it changed'}
          </Button>
        )
      }
    >
      <Answer
        read={read}
        skeleton={{ rows: 8 }}
        isEmpty={({ workflow }) => !workflow?.versions[0]?.definition}
        empty={<Empty title={`Version ${visibleText(version.slice(0, 12))} is not recorded`} />}
      >
        {({ workflow }) => {
          const [of, earlier] = workflow?.versions ?? [];
          if (!of?.definition) return null;
          return search.changes && earlier?.definition ? (
            <Diff what="What the version changed" before={earlier.definition.text} after={of.definition.text} />
          ) : (
            <Payload what="Definition" text={of.definition.text} bytes={of.definition.bytes} />
          );
        }}
      </Answer>
    </Panel>
  );
}

interface VersionsProps {
  workflow: WorkflowDefinitionProps['workflow'];
  of: NonNullable<WorkflowVersionsQuery['workflow']>;
  shown: string;
  search: WorkflowSearch;
}

function Versions({ workflow: { app, name, version: newest }, of, shown, search }: VersionsProps): ReactNode {
  return (
    <Table
      label="Versions"
      head={
        <>
          <Head>Version</Head>
          <Head>Registered</Head>
          <Head>
            <span className="unseen">Its runs</span>
          </Head>
        </>
      }
    >
      {of.versions.map(({ version, registeredAt }) => (
        <tr key={version} aria-selected={version === shown}>
          <Cell>
            <PageLink
              to={['workflows', app, name]}
              search={{ ...search, version: version === newest ? undefined : version }}
              aria-current={version === shown ? 'true' : undefined}
            >
              <code>{version.slice(0, 12)}</code>
            </PageLink>
          </Cell>
          <Cell>
            <Time at={registeredAt} form="relative" />
          </Cell>
          <Cell isNumber>
            <PageLink to={['runs']} search={{ app, workflow: name, version }}>
              runs
            </PageLink>
          </Cell>
        </tr>
      ))}
    </Table>
  );
}

type Step = NonNullable<WorkflowDefinitionProps['workflow']['steps']>[number];

function Steps({ steps }: { steps: readonly Step[] }): ReactNode {
  const shown = steps.filter(({ hidden }) => !hidden);
  if (shown.length === 0) return null;
  return (
    <Panel title="Steps that it declares" isFlush>
      <Table
        label="Steps"
        head={
          <>
            <Head>Step</Head>
            <Head>Description</Head>
          </>
        }
      >
        {shown.map((step) => (
          <tr key={step.name}>
            <Cell>{visibleText(step.name)}</Cell>
            <Cell>{step.description && visibleText(step.description)}</Cell>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}
