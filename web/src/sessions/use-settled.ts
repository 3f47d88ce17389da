import { useEffect, useState } from 'react'

/** The value once it has not changed for a moment: a search does not run for every key. */
export function useSettled<Value>(value: Value, ms = 200): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
