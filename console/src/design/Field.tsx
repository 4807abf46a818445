import { type ComponentProps, type ReactNode, useId } from 'react';
import { classes } from './classes.ts';
import styles from './Field.module.css';
import { visibleText } from './visibleText.ts';

export interface FieldProps {
  label: string;
  hint?: ReactNode;
  /** What is wrong with the value; the service's text for `BAD_USER_INPUT`. */
  error?: string | undefined;
  /** The label is read out only. */
  isBare?: boolean;
}

interface SuggestedProps {
  /** Values that the browser offers while one types; others are as good. */
  suggestions?: readonly string[] | undefined;
}

/** A text input with label, hint and error. */
export function Field({
  label,
  hint,
  error,
  isBare,
  className,
  suggestions,
  ...input
}: FieldProps & SuggestedProps & ComponentProps<'input'>): ReactNode {
  const id = useId();
  const list = suggestions ? `${id}-suggestions` : undefined;
  // The browser draws the options, and would hide what a stranger hid in a name.
  const offered = suggestions?.filter((value) => visibleText(value) === value);
  return (
    <FieldFrame {...{ id, label, hint, error, isBare, className }}>
      <input id={id} list={list} {...input} {...described(id, hint, error)} className={styles['input']} />
      {offered && (
        <datalist id={list}>
          {offered.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      )}
    </FieldFrame>
  );
}

/** A text area for JSON or long texts. */
export function TextField({
  label,
  hint,
  error,
  isBare,
  className,
  ...input
}: FieldProps & ComponentProps<'textarea'>): ReactNode {
  const id = useId();
  return (
    <FieldFrame {...{ id, label, hint, error, isBare, className }}>
      <textarea
        id={id}
        spellCheck={false}
        {...input}
        {...described(id, hint, error)}
        className={classes(styles['input'], styles['area'])}
      />
    </FieldFrame>
  );
}

interface SelectProps<Value extends string> {
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChoose: (value: Value) => void;
}

/** A choice of one of a few values. */
export function Select<Value extends string>({
  label,
  hint,
  error,
  isBare,
  value,
  options,
  onChoose,
}: FieldProps & SelectProps<Value>): ReactNode {
  const id = useId();
  return (
    <FieldFrame {...{ id, label, hint, error, isBare }}>
      <select
        id={id}
        value={value}
        className={styles['input']}
        {...described(id, hint, error)}
        onChange={(event) => onChoose(event.target.value as Value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {visibleText(option.label)}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}

interface CheckProps extends Omit<ComponentProps<'input'>, 'type'> {
  label: ReactNode;
  isBare?: boolean;
}

/** A box to tick, with its label beside it. */
export function Check({ label, isBare = false, className, ...input }: CheckProps): ReactNode {
  return (
    <label className={classes(styles['check'], className)}>
      <input type="checkbox" {...input} />
      <span className={isBare ? 'unseen' : undefined}>{label}</span>
    </label>
  );
}

interface SliderProps extends Omit<ComponentProps<'input'>, 'type' | 'value' | 'min' | 'max' | 'step'> {
  /** Read out as the name of the slider. */
  label: string;
  /** The place of the thumb, from 0 to `last`. */
  place: number;
  last: number;
  /** The value at the place, as it is read out. */
  valueText: string;
  onPlace: (place: number) => void;
}

/** A slider over a list of values: its places are even, however far apart the values are. */
export function Slider({ label, place, last, valueText, onPlace, className, ...input }: SliderProps): ReactNode {
  return (
    <input
      {...input}
      type="range"
      min={0}
      max={last}
      step={1}
      value={place}
      aria-label={label}
      aria-valuetext={valueText}
      className={classes(styles['slider'], className)}
      onChange={(event) => onPlace(Number(event.target.value))}
    />
  );
}

/** The frame of a control with its label, hint and error; the control has the given `id`. */
export function FieldFrame({
  id,
  label,
  hint,
  error,
  isBare,
  className,
  children,
}: FieldProps & { id: string; className?: string | undefined; children: ReactNode }): ReactNode {
  return (
    <div className={classes(styles['field'], className)}>
      <label htmlFor={id} className={isBare ? 'unseen' : styles['label']}>
        {label}
      </label>
      {children}
      {error ? (
        <p id={`${id}-error`} className={styles['error']} role="alert">
          {error}
        </p>
      ) : (
        hint && (
          <p id={`${id}-hint`} className={styles['hint']}>
            {hint}
          </p>
        )
      )}
    </div>
  );
}

const described = (
  id: string,
  hint: ReactNode,
  error: string | undefined,
): ComponentProps<'input'> & ComponentProps<'textarea'> & ComponentProps<'select'> => ({
  'aria-invalid': error ? true : undefined,
  'aria-describedby': error ? `${id}-error` : hint ? `${id}-hint` : undefined,
});
