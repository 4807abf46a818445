import { Menu as Base } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './Menu.module.css';
import type { MenuProps } from './Menu.tsx';

/** The menu of `Menu.tsx`, loaded and opened when its button is used first. */
export default function MenuBase({ trigger, entries, align = 'end' }: MenuProps): ReactNode {
  return (
    <Base.Root defaultOpen>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align={align} sideOffset={6} className={styles['positioner']}>
          <Base.Popup className={styles['menu']}>
            {entries.map(({ label, icon: Icon, onSelect, isDanger, refusal, isChosen }) => (
              <Base.Item
                key={label}
                className={classes(styles['entry'], isDanger && styles['danger'])}
                disabled={refusal !== undefined}
                onClick={onSelect}
                title={refusal}
              >
                {Icon ? <Icon size={15} aria-hidden /> : <span className={styles['space']} />}
                <span className={styles['label']}>
                  {label}
                  {refusal && <span className={styles['refusal']}>{refusal}</span>}
                </span>
                {isChosen && (
                  <span>
                    ✓<span className="unseen"> chosen</span>
                  </span>
                )}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
