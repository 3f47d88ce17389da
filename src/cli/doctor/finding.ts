import type { Finding } from '../../capability.ts'

export function ok(check: string, message: string): Finding {
  return { check, level: 'ok', message }
}

export function warning(check: string, message: string, hint: string): Finding {
  return { check, level: 'warning', message, hint }
}

export function problem(check: string, message: string, hint: string): Finding {
  return { check, level: 'problem', message, hint }
}
