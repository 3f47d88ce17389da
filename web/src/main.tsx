import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { tryAgain } from './api/reachable.ts'
import { begin } from './api/underway.ts'
import { App } from './app/app.tsx'
import { followShortcuts } from './app/shortcuts.tsx'
import './app/theme.css'
import { language } from './language/language.ts'
import { followTheme } from './parts/theme.ts'

const started = begin()
document.documentElement.lang = language
followTheme()
followShortcuts()
addEventListener('online', tryAgain)
createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
started()
// What nobody waits for comes after the first screen.
globalThis.addEventListener('load', () => void import('./app/late.ts').then(({ followLate }) => followLate()))
