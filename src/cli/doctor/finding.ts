/** One thing that `foreword doctor` looked at. */
export interface Finding {
  readonly check: string
  readonly level: 'ok' | 'warning' | 'problem'
  readonly message: string
  /** How to make it well. Present where it is not. */
  readonly hint?: string
}

export function ok(check: string, message: string): Finding {
  return { check, level: 'ok', message }
}

export function warning(check: string, message: string, hint: string): Finding {
  return { check, level: 'warning', message, hint }
}

export function problem(check: string, message: string, hint: string): Finding {
  return { check, level: 'problem', message, hint }
}
