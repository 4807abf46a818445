import type { ReactNode } from 'react';
import { Panel } from '../../design/index.ts';
import styles from './KitchenSinkPage.module.css';

const types = ['display', 'title', 'large', 'body', 'small', 'tiny'];
const colours = ['idle', 'busy', 'wait', 'hold', 'good', 'bad'];
const surfaces = ['ground', 'surface', 'raised', 'sunken', 'hover', 'chosen', 'line', 'accent', 'focus'];

/** The type scale and the colours of `tokens.css`. */
export function Tokens(): ReactNode {
  return (
    <Panel title="Tokens">
      {types.map((name) => (
        <p key={name} style={{ fontSize: `var(--type-${name})` }}>
          {name}: a run waits until 14:03
        </p>
      ))}
      <div className={styles['row']}>
        {colours.map((name) => (
          <span
            key={name}
            className={styles['swatch']}
            style={{ background: `var(--${name}-fill)`, color: `var(--${name}-ink)` }}
          >
            {name}
          </span>
        ))}
        {surfaces.map((name) => (
          <span key={name} className={styles['swatch']}>
            <span className={styles['colour']} style={{ background: `var(--${name})` }} />
            {name}
          </span>
        ))}
      </div>
    </Panel>
  );
}
