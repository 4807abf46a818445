import { Link } from '@tanstack/react-router';
import { FolderPlus } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { formErrors } from '../../data/fieldErrors.ts';
import { useAct, usePages, useRead } from '../../data/queries.ts';
import {
  Answer,
  Badge,
  Button,
  Cell,
  countText,
  Dialog,
  Empty,
  Field,
  Head,
  ListEnd,
  PageHead,
  Panel,
  Stack,
  Table,
  Time,
  TroubleNote,
  visibleText,
} from '../../design/index.ts';
import { useTitle } from '../../router/useTitle.ts';
import { Keys } from './Keys.tsx';
import { ceilingOf } from './keyStates.ts';
import { OperatorOnly } from './OperatorOnly.tsx';
import styles from './operator.module.css';
import { allKeysDocument, createProjectDocument, projectsDocument } from './operatorDocuments.ts';

/** The projects of the service, and the platform keys, which belong to none of them. */
export default function ProjectsPage(): ReactNode {
  useTitle('Projects');
  const [isCreating, setCreating] = useState(false);
  return (
    <OperatorOnly>
      <PageHead
        title="Projects"
        below="A project has its own runs, events, keys and limits."
        actions={
          <Button kind="primary" icon={FolderPlus} onClick={() => setCreating(true)}>
            New project
          </Button>
        }
      />
      <Stack>
        <Projects />
        <PlatformKeys />
      </Stack>
      {isCreating && <CreateProject onClose={() => setCreating(false)} />}
    </OperatorOnly>
  );
}

function Projects(): ReactNode {
  const pages = usePages(
    projectsDocument,
    {},
    {
      next: ({ projects }) => (projects.length === 100 ? projects.at(-1)?.id : undefined),
    },
  );
  const count = pages.data?.reduce((sum, { projects }) => sum + projects.length, 0) ?? 0;
  return (
    <Panel title="Projects" hasHiddenTitle isFlush>
      <Answer
        read={pages}
        isEmpty={() => count === 0}
        empty={<Empty title="There is no project yet" />}
        skeleton={{ rows: 4 }}
      >
        {(data) => (
          <>
            <Table
              label="Projects of the service"
              isCards
              head={
                <>
                  <Head>Name</Head>
                  <Head>Id</Head>
                  <Head>State</Head>
                  <Head>Ceiling</Head>
                  <Head>Created</Head>
                </>
              }
            >
              {data
                .flatMap(({ projects }) => projects)
                .map(({ id, name, suspended, concurrencyCeiling, createdAt }) => (
                  <tr key={id}>
                    <Cell>
                      <Link to={'/operator/projects/$id' as string} params={{ id } as never} className={styles['name']}>
                        {visibleText(name)}
                      </Link>
                    </Cell>
                    <Cell>
                      <code className={styles['soft']}>{id}</code>
                    </Cell>
                    <Cell>
                      <Badge tone={suspended ? 'hold' : 'good'}>{suspended ? 'suspended' : 'open'}</Badge>
                    </Cell>
                    <Cell>{concurrencyCeiling === 0 ? 'no ceiling' : `${countText(concurrencyCeiling)} at once`}</Cell>
                    <Cell>
                      <Time at={createdAt} />
                    </Cell>
                  </tr>
                ))}
            </Table>
            <ListEnd pages={pages} shown={count === 1 ? '1 project' : `${countText(count)} projects`} />
          </>
        )}
      </Answer>
    </Panel>
  );
}

function PlatformKeys(): ReactNode {
  const read = useRead(allKeysDocument, {});
  return (
    <Keys
      title="Platform keys"
      read={{ ...read, data: read.data?.apiKeys.filter(({ projectId }) => projectId === null) }}
      kinds={['PLATFORM']}
      refreshes={[allKeysDocument] as never}
    >
      A platform key acts for any project, in the name of a person. Portals use it.
    </Keys>
  );
}

function CreateProject({ onClose }: { onClose: () => void }): ReactNode {
  const [name, setName] = useState('');
  const [ceiling, setCeiling] = useState('0');
  const create = useAct(createProjectDocument, {
    refreshes: [projectsDocument] as never,
    isQuiet: true,
    done: () => `Project “${visibleText(name.trim())}” created`,
    onDone: onClose,
  });
  const errors = formErrors(create.error, ['name', 'concurrencyCeiling']);
  const limit = ceilingOf(ceiling);
  const refusal = !name.trim()
    ? 'a project needs a name'
    : limit === undefined
      ? 'the ceiling is no number'
      : undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!refusal) create.act({ input: { name: name.trim(), concurrencyCeiling: limit } });
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="New project"
      description="Issue keys for it afterwards."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="new-project" refusal={refusal} isBusy={create.isBusy}>
            Create
          </Button>
        </>
      }
    >
      <form id="new-project" className={styles['form']} onSubmit={submit}>
        {errors.trouble && <TroubleNote trouble={errors.trouble} isNarrow />}
        <Field label="Name" value={name} error={errors.at.name} onChange={(event) => setName(event.target.value)} />
        <Field
          label="Ceiling"
          inputMode="numeric"
          hint="Runs of all workflows that execute at once; 0 is no ceiling."
          value={ceiling}
          error={errors.at.concurrencyCeiling}
          onChange={(event) => setCeiling(event.target.value)}
        />
      </form>
    </Dialog>
  );
}
