import { type FormEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { Button, Field, wordsOf } from '../../design/index.ts';
import styles from './Audit.module.css';
import { type AuditSearch, actionGroups } from './auditSearch.ts';

interface ActionSelectProps {
  action: AuditSearch['action'];
  onChoose: (action: string | undefined) => void;
}

/** A choice of one kind of action, in groups. */
export function ActionSelect({ action = '', onChoose }: ActionSelectProps): ReactNode {
  const id = useId();
  return (
    <div className={styles['select']}>
      <label htmlFor={id} className="unseen">
        Action
      </label>
      <select id={id} value={action} onChange={(event) => onChoose(event.target.value || undefined)}>
        <option value="">Every action</option>
        {actionGroups.map(({ title, actions }) => (
          <optgroup key={title} label={title}>
            {actions.map((word) => (
              <option key={word} value={word}>
                {wordsOf(word)}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </div>
  );
}

interface TextFilterProps {
  label: string;
  value: string | undefined;
  onSet: (value: string | undefined) => void;
}

/** A text filter, set by Enter. */
export function TextFilter({ label, value = '', onSet }: TextFilterProps): ReactNode {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSet(text.trim() || undefined);
  };
  return (
    <form className={styles['text']} onSubmit={submit}>
      <Field label={label} isBare placeholder={label} value={text} onChange={(event) => setText(event.target.value)} />
      {text.trim() !== value && <Button type="submit">Filter</Button>}
    </form>
  );
}
