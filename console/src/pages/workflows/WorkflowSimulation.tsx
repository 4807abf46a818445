import { RotateCw } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import type { WorkflowQuery } from '../../data/generated/graphql.ts';
import { Answer, Button, classes, Empty, Panel, Select } from '../../design/index.ts';
import styles from './Simulation.module.css';
import { SimulationPolicies, TriedDefinition } from './SimulationPolicies.tsx';
import { SimulationResult } from './SimulationResult.tsx';
import { differenceOf } from './simulationFigures.ts';
import { inForce, leftOut } from './simulationPolicies.ts';
import { readTried, writeTried } from './simulationTried.ts';
import { useDraft } from './useDraft.ts';
import { useSimulation } from './useSimulation.ts';
import type { WorkflowSearch } from './workflowSearch.ts';

interface WorkflowSimulationProps {
  workflow: NonNullable<WorkflowQuery['workflow']>;
  /** The ceiling of the project; 0 is none. */
  ceiling: number;
  search: WorkflowSearch;
  onChange: (search: WorkflowSearch) => void;
}

const ranges = [
  { value: '1h', label: 'Last hour' },
  { value: '6h', label: 'Last 6 hours' },
  { value: '24h', label: 'Last 24 hours' },
] as const;

const hour = 3_600_000;
const untouched = 'The policies are those in force. Change one to compare.';

/** How long the policies stay the same before they are simulated. */
const settlesMs = 400;

/** Lets the past starts of a workflow pass the gates again, under policies to try. */
export function WorkflowSimulation({ workflow, ceiling, search, onChange }: WorkflowSimulationProps): ReactNode {
  const { app, name, flowControl } = workflow;
  const force = useMemo(() => inForce(flowControl, ceiling), [flowControl, ceiling]);
  const tried = useMemo(() => readTried(search.try, force), [search.try, force]);
  const isTrying = writeTried(tried, force) !== undefined;
  const range = search.past ?? '1h';
  const { read, isLoading, again } = useSimulation({
    ...{ app, workflow: name, tried, force, isTrying },
    pastMs: Number.parseInt(range, 10) * hour,
  });
  const [draft, setDraft] = useDraft(search.try, {
    commit: (text) => onChange({ ...search, try: text }),
    afterMs: settlesMs,
    isHeld: isLoading,
  });
  const { data } = read;
  const isOld = read.isOld || draft !== search.try;
  const verdict = useMemo(() => (data && isTrying ? differenceOf(data) : untouched), [data, isTrying]);
  const drafted = useMemo(() => readTried(draft, force), [draft, force]);
  const choose = (value: '1h' | '6h' | '24h'): void =>
    onChange({ ...search, past: value === '1h' ? undefined : value });
  return (
    <div className={styles['sides']}>
      <div className={styles['side-policies']}>
        <SimulationPolicies
          tried={drafted}
          force={force}
          leftOut={leftOut(flowControl)}
          onTry={(policies) => setDraft(writeTried(policies, force))}
        />
        {data && isTrying && (
          <p aria-hidden className={classes(styles['brief'], isOld && styles['old'])}>
            {verdict}
          </p>
        )}
      </div>
      <div className={styles['side-result']}>
        <Panel
          title="Starts that came"
          actions={
            <>
              <Select label="Starts of the" isBare value={range} options={ranges} onChoose={choose} />
              <Button icon={RotateCw} isIconOnly kind="quiet" isBusy={isLoading} onClick={again}>
                Simulate until now
              </Button>
            </>
          }
        >
          <Answer
            read={{ ...read, isOld }}
            skeleton={{ rows: 12 }}
            isEmpty={({ now }) => now.starts.length === 0}
            empty={
              <Empty
                title="No start came in this time"
                actions={range !== '24h' && <Button onClick={() => choose('24h')}>Last 24 hours</Button>}
              >
                <p>The simulation needs starts: choose a longer time, or start runs first.</p>
              </Empty>
            }
          >
            {(simulations) => <SimulationResult {...simulations} verdict={verdict} />}
          </Answer>
        </Panel>
      </div>
      <div className={styles['side-definition']}>
        <TriedDefinition policies={drafted} />
      </div>
    </div>
  );
}
