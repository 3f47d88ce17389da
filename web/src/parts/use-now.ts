import { useEffect, useState } from 'react'
import { begin } from '../api/underway.ts'

/** The time in ms since 1970, again each second while `running`. */
export function useNow(running: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!running) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [running])
  return now
}

/** A value that follows another one once that has stayed the same for `ms`. */
export function useLate<Value>(value: Value, ms: number): Value {
  const [late, setLate] = useState(value)
  useEffect(() => {
    const followed = begin()
    const timer = setTimeout(() => {
      setLate(value)
      followed()
    }, ms)
    return () => {
      clearTimeout(timer)
      followed()
    }
  }, [value, ms])
  return late
}
