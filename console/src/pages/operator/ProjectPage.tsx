import { getRouteApi, Link } from '@tanstack/react-router';
import { CirclePause, CirclePlay, KeySquare } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { formErrors } from '../../data/fieldErrors.ts';
import type { OperatedProjectQuery } from '../../data/generated/graphql.ts';
import { useAct, useRead } from '../../data/queries.ts';
import {
  Badge,
  Button,
  Confirm,
  Empty,
  Facts,
  Field,
  Id,
  PageHead,
  Panel,
  ThingPage,
  Time,
  TroubleNote,
  visibleText,
} from '../../design/index.ts';
import { useNavigateTo } from '../../router/useNavigateTo.ts';
import { useTitle } from '../../router/useTitle.ts';
import { refreshViewer, switchProject } from '../../session/session.ts';
import { Keys } from './Keys.tsx';
import { ceilingOf } from './keyStates.ts';
import { OperatorOnly } from './OperatorOnly.tsx';
import styles from './operator.module.css';
import {
  projectDocument,
  projectKeysDocument,
  projectsDocument,
  rotateSecretsDocument,
  updateProjectDocument,
} from './operatorDocuments.ts';
import { Providers } from './Providers.tsx';

type Project = NonNullable<OperatedProjectQuery['project']>;

const route = getRouteApi('/operator/projects/$id');

/** One project for the operator: its limits, keys, providers and secrets. */
export default function ProjectPage(): ReactNode {
  const { id } = route.useParams();
  const read = useRead(projectDocument, { id });
  const name = read.isOld ? undefined : read.data?.project?.name;
  useTitle(name ? visibleText(name) : 'Project');
  return (
    <OperatorOnly>
      <ThingPage
        read={read}
        thingOf={({ project }) => project}
        head={(project) => <ProjectHead id={id} project={project} />}
        missing={<Empty title="The service has no project with this id">{visibleText(id)}</Empty>}
      >
        {(project) => (
          <>
            <Panel title="Project">
              <Settings key={project.id} project={project} />
            </Panel>
            <ProjectKeys id={project.id} />
            <Providers id={project.id} />
            <Secrets project={project} />
          </>
        )}
      </ThingPage>
    </OperatorOnly>
  );
}

function ProjectHead({ id, project }: { id: string; project: Project | null | undefined }): ReactNode {
  return (
    <PageHead
      above={<Link to={'/operator/projects' as string}>Projects</Link>}
      title={visibleText(project?.name ?? id)}
      beside={project?.suspended && <Badge tone="hold">suspended</Badge>}
      actions={project && <OpenProject name={project.name} />}
    />
  );
}

/** Acts for the project from now on, and goes to its pages. */
function OpenProject({ name }: { name: string }): ReactNode {
  const goTo = useNavigateTo();
  return <Button onClick={() => void switchProject(name).then(() => goTo(name, []))}>Open its pages</Button>;
}

function Settings({ project }: { project: Project }): ReactNode {
  const [name, setName] = useState(project.name);
  const [ceiling, setCeiling] = useState(String(project.concurrencyCeiling));
  const [isAsking, setAsking] = useState(false);
  const update = useAct(updateProjectDocument, {
    refreshes: [projectDocument, projectsDocument] as never,
    isQuiet: true,
    done: () => 'Project changed',
    onDone: () => {
      setAsking(false);
      void refreshViewer();
    },
  });
  const errors = formErrors(isAsking ? undefined : update.error, ['name', 'concurrencyCeiling']);
  const limit = ceilingOf(ceiling);
  const isChanged = name.trim() !== project.name || limit !== project.concurrencyCeiling;
  const refusal = !isChanged
    ? 'nothing is changed'
    : !name.trim()
      ? 'a project needs a name'
      : limit === undefined
        ? 'the ceiling is no number'
        : undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!refusal) update.act({ input: { id: project.id, name: name.trim(), concurrencyCeiling: limit } });
  };
  return (
    <form className={styles['form']} onSubmit={submit}>
      {errors.trouble && <TroubleNote trouble={errors.trouble} isNarrow />}
      <Facts
        facts={[
          ['Id', <Id key="id" id={project.id} what="project id" />],
          ['Created', <Time key="created" at={project.createdAt} form="both" />],
        ]}
      />
      <div className={styles['pair']}>
        <Field label="Name" value={name} error={errors.at.name} onChange={(event) => setName(event.target.value)} />
        <Field
          label="Ceiling"
          inputMode="numeric"
          hint="Runs of all workflows that execute at once; 0 is no ceiling."
          value={ceiling}
          error={errors.at.concurrencyCeiling ?? (limit === undefined ? 'A whole number, or 0.' : undefined)}
          onChange={(event) => setCeiling(event.target.value)}
        />
      </div>
      <div className={styles['buttons']}>
        <Button kind="primary" type="submit" refusal={refusal} isBusy={update.isBusy && !isAsking}>
          Save
        </Button>
        {project.suspended ? (
          <Button
            icon={CirclePlay}
            isBusy={update.isBusy}
            onClick={() => update.act({ input: { id: project.id, suspended: false } })}
          >
            End the suspension
          </Button>
        ) : (
          <Button kind="danger" icon={CirclePause} onClick={() => setAsking(true)}>
            Suspend
          </Button>
        )}
      </div>
      {isAsking && (
        <Confirm
          title={`Suspend “${visibleText(project.name)}”`}
          description="Events are recorded, and no run starts until the suspension ends. Runs that have begun go on."
          verb="Suspend the project"
          act={update}
          onConfirm={() => update.act({ input: { id: project.id, suspended: true } })}
          onClose={() => setAsking(false)}
        />
      )}
    </form>
  );
}

function ProjectKeys({ id }: { id: string }): ReactNode {
  const read = useRead(projectKeysDocument, { id });
  return (
    <Keys
      title="Keys"
      read={{ ...read, data: read.data?.project?.apiKeys }}
      kinds={['SECRET', 'PUBLIC']}
      projectId={id}
      refreshes={[projectKeysDocument] as never}
    >
      Give each program and each person a key of its own: the audit log tells them apart, and one can be revoked alone.
    </Keys>
  );
}

function Secrets({ project }: { project: Project }): ReactNode {
  const [isAsking, setAsking] = useState(false);
  const rotate = useAct(rotateSecretsDocument, {
    refreshes: [],
    isQuiet: true,
    done: () => 'The secrets are rotated',
    onDone: () => setAsking(false),
  });
  return (
    <Panel title="Invoke secrets">
      <p>
        Every app of the project has a secret that signs the service’s calls of its HTTP runners. Runners that are
        connected by a socket need none.
      </p>
      <div className={styles['buttons']}>
        <Button kind="danger" icon={KeySquare} onClick={() => setAsking(true)}>
          Rotate the secrets
        </Button>
      </div>
      {isAsking && (
        <Confirm
          title="Rotate the invoke secrets"
          description="HTTP runners refuse the service’s calls until they know the new secrets, which they get when they register again."
          verb="Rotate the secrets"
          typed={project.name}
          act={rotate}
          onConfirm={() => rotate.act({ id: project.id })}
          onClose={() => setAsking(false)}
        />
      )}
    </Panel>
  );
}
