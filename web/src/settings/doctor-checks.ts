import { useCallback, useEffect, useState } from 'react'
import type { ApiError } from '../api/client.ts'
import { type DoctorPath, type Finding, runDoctor } from '../api/doctor.ts'
import { underway } from '../api/underway.ts'

/** A finding; of a known hole it has an id. */
export type NamedFinding = Finding & { readonly id?: string }

export interface DoctorChecks {
  /** In the order in which they came. */
  readonly findings: readonly NamedFinding[]
  readonly running: boolean
  readonly error: ApiError | undefined
  run(): void
}

/** Runs the checks once when the page is opened, and again when it is asked to. Leaving the page ends them. */
export function useDoctor(path: DoctorPath): DoctorChecks {
  const [times, setTimes] = useState(0)
  const [findings, setFindings] = useState<readonly NamedFinding[]>([])
  const [running, setRunning] = useState(true)
  const [error, setError] = useState<ApiError>()
  useEffect(() => {
    const controller = new AbortController()
    setFindings([])
    setRunning(true)
    setError(undefined)
    underway(runDoctor(path, controller.signal, (finding) => setFindings((known) => [...known, finding])))
      .catch((failure: unknown) => {
        if (!controller.signal.aborted) setError(failure as ApiError)
      })
      .finally(() => {
        if (!controller.signal.aborted) setRunning(false)
      })
    return () => controller.abort()
  }, [path, times])
  const run = useCallback(() => setTimes((before) => before + 1), [])
  return { findings, running, error, run }
}
