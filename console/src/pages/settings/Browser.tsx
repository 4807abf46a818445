import type { ReactNode } from 'react';
import { Check, Panel, Select, setPreferences, usePreferences, zoneName } from '../../design/index.ts';
import styles from './SettingsPage.module.css';

/** What a person sets for this browser. It is kept in the browser only. */
export function Browser(): ReactNode {
  const { theme, zone, density, hasShortcuts } = usePreferences();
  return (
    <Panel title="This browser">
      <div className={styles['choices']}>
        <Select
          label="Appearance"
          value={theme}
          options={[
            { value: 'system', label: 'As the system' },
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
          onChoose={(value) => setPreferences({ theme: value })}
        />
        <Select
          label="Times"
          value={zone}
          options={[
            { value: 'local', label: `In the zone of this browser (${zoneName('local')})` },
            { value: 'utc', label: 'In UTC' },
          ]}
          onChoose={(value) => setPreferences({ zone: value })}
        />
        <Select
          label="Rows"
          value={density}
          options={[
            { value: 'dense', label: 'Dense' },
            { value: 'roomy', label: 'Roomy' },
          ]}
          onChoose={(value) => setPreferences({ density: value })}
        />
      </div>
      <Check
        label="Keyboard shortcuts; the key ? lists them"
        checked={hasShortcuts}
        onChange={(event) => setPreferences({ hasShortcuts: event.target.checked })}
      />
    </Panel>
  );
}
