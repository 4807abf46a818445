import {
  Activity,
  Bot,
  Boxes,
  ChartNoAxesCombined,
  ClipboardCheck,
  FolderCog,
  Gauge,
  ListTree,
  type LucideIcon,
  MessagesSquare,
  Radio,
  ScrollText,
  Settings,
  Webhook,
  Workflow,
} from 'lucide-react';

export interface NavigationEntry {
  label: string;
  /** The page within the project. */
  to: readonly string[];
  /** The parameters with which it opens. */
  search?: Record<string, unknown>;
  icon: LucideIcon;
  /** The second key of the shortcut `g …`. */
  key?: string;
}

/** The pages of the navigation, in groups. Entries whose page is not there are not shown. */
export const navigation: readonly { title: string; entries: readonly NavigationEntry[] }[] = [
  {
    title: 'Watch',
    entries: [
      { label: 'Overview', to: [], icon: ChartNoAxesCombined, key: 'o' },
      { label: 'Runs', to: ['runs'], icon: ListTree, key: 'r' },
      { label: 'Events', to: ['events'], icon: Radio, key: 'e' },
      { label: 'Workflows', to: ['workflows'], icon: Workflow, key: 'w' },
      { label: 'Approvals', to: ['approvals'], search: { open: '1' }, icon: ClipboardCheck, key: 'a' },
    ],
  },
  {
    title: 'Limits and spend',
    entries: [
      { label: 'Flow', to: ['flow'], icon: Gauge, key: 'f' },
      { label: 'AI spend', to: ['ai'], icon: Bot, key: 'i' },
      { label: 'Sessions', to: ['sessions'], icon: MessagesSquare, key: 's' },
    ],
  },
  {
    title: 'Connected',
    entries: [
      { label: 'Runners', to: ['runners'], icon: Boxes, key: 'n' },
      { label: 'Webhooks out', to: ['webhooks', 'endpoints'], icon: Webhook, key: 'h' },
      { label: 'Webhooks in', to: ['webhooks', 'sources'], icon: Activity, key: 'k' },
    ],
  },
  {
    title: 'Project',
    entries: [
      { label: 'Audit log', to: ['audit'], icon: ScrollText, key: 'l' },
      { label: 'Settings', to: ['settings'], icon: Settings, key: 't' },
    ],
  },
];

/** Pages of the operator, outside of projects. */
export const operatorEntry = { label: 'Projects', path: '/operator/projects', icon: FolderCog };
