import { type ReactNode, useState } from 'react';
import { Field, Slider, visibleText } from '../../design/index.ts';
import styles from './Simulation.module.css';
import { keyFault } from './simulationFields.ts';
import type { NumberField } from './simulationPolicies.ts';

interface NumberWithSliderProps extends NumberField {
  /** The title of the policy, for the name of the slider. */
  of: string;
  value: number;
  inForce: number | string | undefined;
  onValue: (value: number) => void;
}

/**
 * A number to type, with a slider beside it. A text that is no such number changes nothing; its
 * error shows once the field is left.
 */
export function NumberWithSlider({ of, label, kind, value, inForce, onValue }: NumberWithSliderProps): ReactNode {
  const [typed, setTyped] = useState<string>();
  const [isLeft, setLeft] = useState(false);
  const isWrong = typed !== undefined && kind.read(typed) === undefined;
  const take = (next: number, text?: string): void => {
    setTyped(text);
    if (next !== value) onValue(next);
  };
  /** The next stop above or below: the value may stand between two. */
  const step = (by: 1 | -1): number | undefined =>
    by > 0 ? kind.stops.find((stop) => stop > value) : kind.stops.findLast((stop) => stop < value);
  return (
    <div className={styles['number']}>
      <Field
        label={label}
        value={typed ?? kind.edit(value)}
        error={isWrong && isLeft ? kind.rule : undefined}
        hint={typeof inForce === 'number' && inForce !== value && `In force: ${kind.show(inForce)}`}
        autoComplete="off"
        onChange={({ target }) => {
          const next = kind.read(target.value);
          if (next === undefined) setTyped(target.value);
          else take(next, target.value);
        }}
        onFocus={() => setLeft(false)}
        onBlur={() => {
          setLeft(true);
          if (!isWrong) setTyped(undefined);
        }}
        onKeyDown={(event) => {
          const by = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : undefined;
          const next = by && step(by);
          if (next === undefined) return;
          event.preventDefault();
          take(next);
        }}
      />
      <Slider
        className={styles['slider']}
        label={`${of}: ${label}`}
        place={kind.placeOf(value)}
        last={kind.stops.length - 1}
        valueText={kind.show(value)}
        onPlace={(place) => take(kind.stops[place] ?? value)}
      />
    </div>
  );
}

interface KeyFieldProps {
  path: string;
  /** Undefined if the policy is not in force. */
  inForce: string | undefined;
  onPath: (path: string) => void;
}

/** The path of a key; empty for one scope. */
export function KeyField({ path, inForce, onPath }: KeyFieldProps): ReactNode {
  const [typed, setTyped] = useState<string>();
  const [isLeft, setLeft] = useState(false);
  const text = typed ?? path;
  const fault = text === '' ? undefined : keyFault(text);
  return (
    <Field
      label="Key"
      placeholder="none: one scope"
      value={text}
      error={isLeft ? fault : undefined}
      hint={inForce !== undefined && inForce !== path && `In force: ${visibleText(inForce) || 'none'}`}
      autoComplete="off"
      spellCheck={false}
      onChange={({ target }) => {
        setTyped(target.value);
        if (target.value === '' || !keyFault(target.value)) onPath(target.value);
      }}
      onFocus={() => setLeft(false)}
      onBlur={() => {
        setLeft(true);
        if (!fault) setTyped(undefined);
      }}
    />
  );
}
