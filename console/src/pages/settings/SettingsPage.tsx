import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { SettingsQuery } from '../../data/generated/graphql.ts';
import { graphql } from '../../data/graphql.ts';
import { useRead } from '../../data/queries.ts';
import {
  Answer,
  Badge,
  Button,
  bytesText,
  countText,
  durationText,
  Facts,
  Id,
  PageHead,
  Panel,
  Stack,
  serviceNow,
  Time,
  visibleText,
  windowText,
  wordsOf,
} from '../../design/index.ts';
import { useTitle } from '../../router/useTitle.ts';
import { useRefusal } from '../../session/rights.ts';
import { Browser } from './Browser.tsx';
import styles from './SettingsPage.module.css';

const settingsDocument = graphql(`
  query Settings {
    viewer {
      kind
      name
      actor
      key {
        hint
        createdAt
        expiresAt
        lastUsedAt
      }
      project {
        id
        name
        suspended
        concurrencyCeiling
        createdAt
      }
    }
    service {
      version
      now
      limits {
        answerObjects
        bulkRuns
        dedupeMs
        eventsPerCall
        jsonDepth
        nameLength
        noRunnerMs
        pageBytes
        readMs
        requestsPerKey
        tags
      }
    }
  }
`);

type Viewer = SettingsQuery['viewer'];

/** The project, the key and the service as they are, and what a person sets for this browser. */
export default function SettingsPage(): ReactNode {
  useTitle('Settings');
  const read = useRead(settingsDocument, {});
  return (
    <>
      <PageHead title="Settings" />
      <Stack>
        <Browser />
        <Panel title="Project" actions={<Manage id={read.data?.viewer.project?.id} />}>
          <Answer read={read}>{({ viewer }) => <Project project={viewer.project} />}</Answer>
        </Panel>
        <Panel title="Your key">
          <Answer read={read}>{({ viewer }) => <Key viewer={viewer} />}</Answer>
        </Panel>
        <Panel title="Service">
          <Answer read={read}>{({ service }) => <Service service={service} />}</Answer>
        </Panel>
      </Stack>
    </>
  );
}

/** To the operator's page of the project; for other keys the reason why not. */
function Manage({ id }: { id: string | undefined }): ReactNode {
  const refusal = useRefusal('manage');
  if (refusal !== undefined || !id) return <Button refusal={refusal ?? 'no project is chosen'}>Manage</Button>;
  return (
    <Link to={'/operator/projects/$id' as string} params={{ id } as never} className={styles['manage']}>
      Manage keys, limits and secrets
    </Link>
  );
}

function Project({ project }: { project: Viewer['project'] }): ReactNode {
  if (!project) return <p>No project is chosen.</p>;
  return (
    <Facts
      facts={[
        ['Name', visibleText(project.name)],
        ['Id', <Id key="id" id={project.id} what="project id" />],
        [
          'State',
          <Badge key="state" tone={project.suspended ? 'hold' : 'good'}>
            {project.suspended ? 'suspended: no run starts' : 'open'}
          </Badge>,
        ],
        [
          'Ceiling',
          project.concurrencyCeiling === 0 ? 'none' : `${countText(project.concurrencyCeiling)} runs execute at once`,
        ],
        ['Created', <Time key="created" at={project.createdAt} form="both" />],
      ]}
    />
  );
}

function Key({ viewer: { kind, name, actor, key } }: { viewer: Viewer }): ReactNode {
  return (
    <Facts
      facts={[
        ['Name', visibleText(name)],
        ['Kind', wordsOf(kind)],
        actor !== null && ['Acts for', visibleText(actor)],
        key !== null && [
          'Key',
          <code key="hint" className={styles['hint']}>
            {visibleText(key.hint)}
          </code>,
        ],
        key !== null && ['Ends', key.expiresAt ? <Time key="ends" at={key.expiresAt} form="both" /> : 'never'],
        key !== null && ['Issued', <Time key="issued" at={key.createdAt} />],
      ]}
    />
  );
}

function Service({ service: { version, now, limits } }: { service: SettingsQuery['service'] }): ReactNode {
  const aheadMs = serviceNow() - Date.now();
  return (
    <Facts
      facts={[
        ['Version', version],
        ['Its clock', <Time key="clock" at={now} />],
        [
          'This browser’s clock',
          Math.abs(aheadMs) < 2_000
            ? 'agrees'
            : `is ${durationText(Math.abs(aheadMs))} ${aheadMs > 0 ? 'behind' : 'ahead'}; countdowns follow the service`,
        ],
        ['A search may take', windowText(limits.readMs)],
        ['A run waits for a runner', windowText(limits.noRunnerMs)],
        ['A dedupeId is known for', windowText(limits.dedupeMs)],
        ['Runs of one bulk call', countText(limits.bulkRuns)],
        ['Events of one call', countText(limits.eventsPerCall)],
        ['Requests of a key at once', countText(limits.requestsPerKey)],
        ['Objects of one answer', countText(limits.answerObjects)],
        ['Payloads of one page', bytesText(limits.pageBytes)],
        ['Levels of JSON', countText(limits.jsonDepth)],
        ['Characters of a name', countText(limits.nameLength)],
        ['Tags', countText(limits.tags)],
      ]}
    />
  );
}
