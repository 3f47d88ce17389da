import { useEffect, useState } from 'react'
import { begin } from '../api/underway.ts'

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
