import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { Button } from './Button.tsx';
import { Field } from './Field.tsx';
import styles from './Filters.module.css';

interface TextFilterProps {
  label: string;
  value: string | undefined;
  /** Values that the browser offers while one types; others are as good. */
  suggestions?: readonly string[];
  onSet: (value: string | undefined) => void;
}

/** A text filter, set by Enter. */
export function TextFilter({ label, value = '', suggestions, onSet }: TextFilterProps): ReactNode {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSet(text.trim() || undefined);
  };
  return (
    <form className={styles['text']} onSubmit={submit}>
      <Field
        label={label}
        isBare
        placeholder={label}
        value={text}
        suggestions={suggestions}
        onChange={(event) => setText(event.target.value)}
      />
      {text.trim() !== value && <Button type="submit">Filter</Button>}
    </form>
  );
}
