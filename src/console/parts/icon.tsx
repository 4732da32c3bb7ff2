import { h, type JSX } from 'preact'
import {
  Activity,
  ChartColumn,
  Check,
  ChevronDown,
  ChevronUp,
  CircleCheck,
  CircleDot,
  CircleX,
  Clock,
  Copy,
  Database,
  Ellipsis,
  FilePlus,
  KeyRound,
  Link,
  Lock,
  LockOpen,
  LogOut,
  Pause,
  Pencil,
  Play,
  Plus,
  Search,
  Settings,
  SquareTerminal,
  CodeXml,
  ChartPie,
  Trash2,
  TriangleAlert,
  Users,
  Webhook,
  X,
  type IconNode,
} from 'lucide'

const icons = {
  activity: Activity,
  alert: TriangleAlert,
  chart: ChartColumn,
  check: Check,
  clock: Clock,
  close: X,
  code: CodeXml,
  copy: Copy,
  data: Database,
  dot: CircleDot,
  down: ChevronDown,
  edit: Pencil,
  key: KeyRound,
  link: Link,
  lock: Lock,
  more: Ellipsis,
  new: FilePlus,
  no: CircleX,
  pause: Pause,
  people: Users,
  pie: ChartPie,
  play: Play,
  plus: Plus,
  search: Search,
  settings: Settings,
  'sign-out': LogOut,
  terminal: SquareTerminal,
  trash: Trash2,
  unlock: LockOpen,
  up: ChevronUp,
  webhook: Webhook,
  yes: CircleCheck,
} as const satisfies Readonly<Record<string, IconNode>>

export type IconName = keyof typeof icons

/** An icon, which screen readers skip. A control that contains only an icon needs its own `aria-label`. */
export function Icon({ name }: { name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {icons[name].map(([tag, attributes]) => h(tag, attributes))}
    </svg>
  )
}
