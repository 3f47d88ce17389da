import { useEffect, useState } from 'react'

/** A value that follows another one once that has stayed the same for `ms`. */
export function useLate<Value>(value: Value, ms: number): Value {
  const [late, setLate] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setLate(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return late
}
