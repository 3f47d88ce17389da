import { lazy, type ComponentType } from 'react'

interface SettingsEntry {
  /** In the address: `/settings/ID`. */
  readonly id: string
  readonly title: string
  readonly component: ComponentType
}

/** The pages of the settings, in the order of their list. Each is loaded when it is opened. */
export const settingsPages: readonly SettingsEntry[] = [
  { id: 'status', title: 'Status', component: lazy(() => import('./status-page.tsx')) },
  { id: 'models', title: 'Models', component: lazy(() => import('./models-page.tsx')) },
  { id: 'prompt', title: 'System prompt', component: lazy(() => import('./prompt-page.tsx')) },
  { id: 'agents', title: 'Agents', component: lazy(() => import('./agents-page.tsx')) },
  { id: 'projects', title: 'Projects', component: lazy(() => import('./projects-page.tsx')) },
  { id: 'subjects', title: 'Subjects', component: lazy(() => import('./subjects-page.tsx')) },
  { id: 'schedules', title: 'Schedules', component: lazy(() => import('./schedules-page.tsx')) },
  { id: 'skills', title: 'Skills', component: lazy(() => import('./skills-page.tsx')) },
  { id: 'tools', title: 'Tools and access', component: lazy(() => import('./tools-page.tsx')) },
  { id: 'mcp-servers', title: 'MCP servers', component: lazy(() => import('./mcp-servers-page.tsx')) },
  { id: 'token', title: 'Token', component: lazy(() => import('./token-page.tsx')) },
  { id: 'backup', title: 'Backup', component: lazy(() => import('./backup-page.tsx')) },
  { id: 'costs', title: 'Costs', component: lazy(() => import('./costs-page.tsx')) },
  { id: 'usage', title: 'Usage', component: lazy(() => import('./usage-page.tsx')) },
  { id: 'audit', title: 'Audit', component: lazy(() => import('./audit-page.tsx')) },
  { id: 'doctor', title: 'Doctor', component: lazy(() => import('./doctor-page.tsx')) },
  { id: 'appearance', title: 'Appearance', component: lazy(() => import('./appearance-page.tsx')) },
]
