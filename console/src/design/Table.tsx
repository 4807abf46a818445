import type { ComponentProps, ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './Table.module.css';

interface TableProps {
  /** Read out as the name of the table. */
  label: string;
  head: ReactNode;
  children: ReactNode;
  /** At 390 px each row becomes a card. */
  isCards?: boolean;
}

/** The frame of a table: the head stays in sight, wide tables scroll inside their box. */
export function Table({ label, head, children, isCards = false }: TableProps): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls needs the keyboard.
    <section className={styles['frame']} tabIndex={0} aria-label={label}>
      <table className={classes(styles['table'], isCards && styles['cards'])}>
        <thead>
          <tr>{head}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

interface HeadProps {
  children?: ReactNode;
  isNumber?: boolean;
  width?: string;
  /** With `onSort`: the direction in which the table is sorted by this column. */
  sorted?: 'asc' | 'desc' | undefined;
  onSort?: () => void;
}

/** The head of a column; a button if the list can be sorted by it. */
export function Head({ children, isNumber = false, width, sorted, onSort }: HeadProps): ReactNode {
  const direction = sorted && (sorted === 'asc' ? 'ascending' : 'descending');
  return (
    <th
      scope="col"
      className={classes(isNumber && styles['number'])}
      style={width ? { width } : undefined}
      aria-sort={direction}
    >
      {onSort ? (
        <button type="button" className={styles['sort']} onClick={onSort}>
          {children}
          <span aria-hidden className={styles['arrow']}>
            {sorted === 'asc' ? '↑' : sorted === 'desc' ? '↓' : ''}
          </span>
        </button>
      ) : (
        children
      )}
    </th>
  );
}

interface CellProps extends ComponentProps<'td'> {
  isNumber?: boolean;
  /** Long text ends in dots; its title shows all of it. */
  isCut?: boolean;
  /** The name of the column, shown when the row is a card. */
  name?: string;
}

export function Cell({ isNumber = false, isCut = false, name, className, ...rest }: CellProps): ReactNode {
  return (
    <td
      {...rest}
      data-name={name}
      className={classes(isNumber && styles['number'], isCut && styles['cut'], className)}
    />
  );
}

interface FactsProps {
  facts: readonly (readonly [name: string, value: ReactNode] | false | undefined)[];
}

/** Names and values, in as many columns as fit. */
export function Facts({ facts }: FactsProps): ReactNode {
  return (
    <dl className={styles['facts']}>
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
