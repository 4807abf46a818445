import { Ban, Ellipsis, Play, RotateCcw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import {
  Answer,
  Badge,
  Button,
  Cell,
  Check,
  Chip,
  Code,
  Countdown,
  Dialog,
  Duration,
  Empty,
  Facts,
  Field,
  Head,
  Id,
  KeyHint,
  Menu,
  Panel,
  type Read,
  Select,
  Slider,
  Status,
  statusBar,
  Table,
  Tabs,
  Tags,
  TextField,
  Time,
  tell,
} from '../../design/index.ts';
import { Charts } from './Charts.tsx';
import styles from './KitchenSinkPage.module.css';
import { ListParts } from './ListParts.tsx';
import { Tokens } from './Tokens.tsx';

const statuses = [
  'QUEUED',
  'RUNNING',
  'WAITING',
  'PAUSED',
  'NEEDS_ATTENTION',
  'SUCCEEDED',
  'FAILED',
  'CANCELLED',
  'SKIPPED',
];

const read = (change: Partial<Read<string>>): Read<string> => ({
  data: undefined,
  trouble: undefined,
  isOld: false,
  retry: () => {},
  ...change,
});

/** Every part of the design in its states. */
export default function KitchenSinkPage(): ReactNode {
  return (
    <div className={styles['page']}>
      <h1>Kitchen sink</h1>
      <Tokens />
      <Panel title="Statuses">
        <div className={styles['row']}>
          {statuses.map((status) => (
            <Status key={status} status={status} />
          ))}
          <Status status="OF_A_NEWER_SERVICE" />
        </div>
        <div className={styles['bars']}>
          {statuses.map((status) => (
            <span key={status} className={statusBar(status)} title={status} />
          ))}
        </div>
      </Panel>
      <Controls />
      <Panels />
      <Texts />
      <Lists />
      <ListParts />
      <Charts />
    </div>
  );
}

function Controls(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [tab, setTab] = useState<'one' | 'two'>('one');
  const [place, setPlace] = useState(3);
  return (
    <Panel title="Controls">
      <div className={styles['row']}>
        <Button>Plain</Button>
        <Button kind="primary" icon={Play}>
          Primary
        </Button>
        <Button kind="danger" icon={Ban}>
          Danger
        </Button>
        <Button kind="quiet">Quiet</Button>
        <Button refusal="needs a secret key" icon={RotateCcw}>
          Refused
        </Button>
        <Button isBusy icon={RotateCcw}>
          Busy
        </Button>
        <Menu
          trigger={
            <Button icon={Ellipsis} isIconOnly>
              More
            </Button>
          }
          entries={[
            { label: 'Replay', icon: RotateCcw, onSelect: () => tell('Replayed') },
            {
              label: 'Cancel',
              icon: Ban,
              isDanger: true,
              onSelect: () => tell('Not possible', { isFailure: true, detail: 'run already in a terminal state' }),
            },
            { label: 'Retry', refusal: 'needs a secret key', onSelect: () => {} },
          ]}
        />
        <Button onClick={() => setOpen(true)}>Open a dialog</Button>
      </div>
      <div className={styles['fields']}>
        <Field label="Name" hint="Shown in lists." defaultValue="invoices" />
        <Field label="With an error" error="name: at most 60 characters" defaultValue="x" />
        <Select label="Choice" value="a" options={[{ value: 'a', label: 'First' }]} onChoose={() => {}} />
        <TextField label="JSON" defaultValue={'{\n  "a": 1\n}'} />
        <Check label="Keep for my tabs" />
        <Slider label="Runs at once" place={place} last={10} valueText={`${2 ** place}`} onPlace={setPlace} />
      </div>
      <Tabs
        label="Example"
        open={tab}
        onOpen={setTab}
        tabs={[
          { name: 'one', label: 'Timeline' },
          { name: 'two', label: 'Logs', count: 12 },
        ]}
      >
        Content of {tab}
      </Tabs>
      <Dialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="Cancel this run"
        description="Its two children end, too."
        footer={
          <>
            <Button onClick={() => setOpen(false)}>Keep it</Button>
            <Button kind="danger" onClick={() => setOpen(false)}>
              Cancel the run
            </Button>
          </>
        }
      >
        <p>What a dialog holds.</p>
      </Dialog>
    </Panel>
  );
}

function Panels(): ReactNode {
  const states: [title: string, content: ReactNode][] = [
    [
      'Loading',
      <Answer key="1" read={read({})}>
        {(text) => text}
      </Answer>,
    ],
    [
      'Failed',
      <Answer
        key="2"
        read={read({ trouble: { title: 'The service failed', detail: 'Look for 2026-11-27T12:00:00Z in its log.' } })}
      >
        {(text) => text}
      </Answer>,
    ],
    [
      'Busy, with old data',
      <Answer
        key="3"
        read={read({ data: 'Old data', isOld: true, trouble: { title: 'The service is busy', isBusy: true } })}
      >
        {(text) => text}
      </Answer>,
    ],
    [
      'Empty',
      <Answer
        key="4"
        read={read({ data: '' })}
        isEmpty={() => true}
        empty={
          <Empty title="Nothing there yet">
            <Code text="npx holdfast demo" what="command" />
          </Empty>
        }
      >
        {(text) => text}
      </Answer>,
    ],
  ];
  return (
    <div className={styles['panels']}>
      {states.map(([title, content]) => (
        <Panel key={title} title={title} isFlush>
          {content}
        </Panel>
      ))}
    </div>
  );
}

function Texts(): ReactNode {
  const now = Date.now();
  return (
    <Panel title="Texts">
      <Facts
        facts={[
          ['Time', <Time key="1" at={new Date(now - 90_000).toISOString()} form="both" />],
          ['Duration', <Duration key="2" ms={3_840_000} />],
          ['Ticking', <Duration key="3" since={new Date(now - 5_000).toISOString()} />],
          ['Countdown', <Countdown key="4" until={new Date(now + 65_000).toISOString()} />],
          ['Id', <Id key="5" id="0198f3c2-7a1e-7c3b-9f1e-2b7f6a1c9d10" what="run id" />],
          ['Keys', <KeyHint key="6" keys="Ctrl K" />],
          [
            'Badge',
            <Badge key="7" tone="wait">
              deduplicated
            </Badge>,
          ],
          ['Chips', <Chip key="8" name="workflow" value="invoice" onRemove={() => {}} />],
          ['Tags', <Tags key="9" tags={{ tenant: 'acme', plan: 'pro', region: 'eu' }} />],
        ]}
      />
      <Code text={'TypeError: x is not a function\n    at step (file.ts:3:9)'} what="stack" />
    </Panel>
  );
}

function Lists(): ReactNode {
  return (
    <Panel title="A table" isFlush>
      <Table
        label="Example"
        head={
          <>
            <Head sorted="desc" onSort={() => {}}>
              Status
            </Head>
            <Head>Workflow</Head>
            <Head isNumber>Duration</Head>
          </>
        }
      >
        {statuses.slice(0, 4).map((status) => (
          <tr key={status}>
            <Cell>
              <Status status={status} />
            </Cell>
            <Cell>invoice</Cell>
            <Cell isNumber>3.2 s</Cell>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}
