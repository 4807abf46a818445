import { type ReactNode, useId } from 'react';
import { wordsOf } from '../../design/index.ts';
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
