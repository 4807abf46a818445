import { RotateCcw } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge, Button, Check, Code, Panel, Select } from '../../design/index.ts';
import styles from './Simulation.module.css';
import { KeyField, NumberWithSlider } from './SimulationFields.tsx';
import {
  definitionOf,
  type Policies,
  type Policy,
  type PolicyName,
  policyNames,
  shapes,
} from './simulationPolicies.ts';
import { isChanged } from './simulationTried.ts';

interface SimulationPoliciesProps {
  tried: Policies;
  force: Policies;
  /** Policies in force that are not simulated. */
  leftOut: readonly string[];
  onTry: (policies: Policies) => void;
}

/** The policies to try, each with a switch and its fields. */
export function SimulationPolicies({ tried, force, leftOut, onTry }: SimulationPoliciesProps): ReactNode {
  const isTrying = policyNames.some((name) => isChanged(name, tried, force));
  const set = (name: PolicyName, policy: Policy | undefined): void => {
    const { [name]: _, ...others } = tried;
    onTry(policy ? { ...others, [name]: policy } : others);
  };
  return (
    <Panel
      title="Policies to try"
      actions={
        <Button icon={RotateCcw} refusal={isTrying ? undefined : 'all are as in force'} onClick={() => onTry(force)}>
          As in force
        </Button>
      }
    >
      <div className={styles['policies']}>
        {policyNames.map((name) => (
          <PolicyFields
            key={name}
            name={name}
            policy={tried[name]}
            inForce={force[name]}
            isChanged={isChanged(name, tried, force)}
            onPolicy={(policy) => set(name, policy)}
          />
        ))}
        {leftOut.length > 0 && (
          <p className={styles['note']}>
            Not simulated: {leftOut.join(', ')}. A simulation does not know what model calls spend.
          </p>
        )}
      </div>
    </Panel>
  );
}

interface PolicyFieldsProps {
  name: PolicyName;
  /** Undefined if it is off. */
  policy: Policy | undefined;
  inForce: Policy | undefined;
  isChanged: boolean;
  onPolicy: (policy: Policy | undefined) => void;
}

function PolicyFields({ name, policy, inForce, isChanged, onPolicy }: PolicyFieldsProps): ReactNode {
  const { title, does, numbers, hasKey, hasMode, first } = shapes[name];
  const without = (field: string): Policy => {
    const { [field]: _, ...others } = policy ?? {};
    return others;
  };
  return (
    <fieldset className={styles['policy']}>
      <legend className="unseen">{title}</legend>
      <div className={styles['line']}>
        <Check
          label={title}
          checked={policy !== undefined}
          onChange={(event) => onPolicy(event.target.checked ? (inForce ?? first) : undefined)}
        />
        {isChanged && <Badge tone="hold">{policy && inForce ? 'changed' : policy ? 'new' : 'off'}</Badge>}
      </div>
      <p className={styles['does']}>{does}</p>
      {policy && (
        <div className={styles['fields']}>
          {numbers.map((number) => (
            <NumberWithSlider
              key={number.field}
              {...number}
              of={title}
              value={Number(policy[number.field])}
              inForce={inForce?.[number.field]}
              onValue={(value) => onPolicy({ ...policy, [number.field]: value })}
            />
          ))}
          {hasMode && (
            <Select
              label="Another start"
              value={policy['mode'] === 'skip' ? 'skip' : 'cancel'}
              options={[
                { value: 'cancel', label: 'cancels the run' },
                { value: 'skip', label: 'is skipped' },
              ]}
              onChoose={(mode) => onPolicy({ ...without('mode'), ...(mode === 'skip' && { mode }) })}
            />
          )}
          {hasKey && (
            <KeyField
              path={String(policy['key'] ?? '')}
              inForce={inForce && String(inForce['key'] ?? '')}
              onPath={(key) => onPolicy({ ...without('key'), ...(key && { key }) })}
            />
          )}
        </div>
      )}
    </fieldset>
  );
}

/** The policies as fields of a definition, to copy into the code. */
export function TriedDefinition({ policies }: { policies: Policies }): ReactNode {
  const definition = definitionOf(policies);
  const isBare = Object.keys(definition).length === 0;
  return (
    <Panel title="As a definition">
      <div className={styles['fields']}>
        {!isBare && <Code what="definition" text={JSON.stringify(definition, null, 2)} isWrapped />}
        <p className={styles['note']}>
          {isBare
            ? 'No field: the workflow has no limits of its own.'
            : 'Policies come from the code: copy these fields into the definition of the workflow.'}
        </p>
      </div>
    </Panel>
  );
}
