import type { ForeignAssembly } from '../../foreign.ts'
import { timeSlice } from '../../platform.ts'
import { explainSteps } from './understanding.ts'

/** Takes a request apart, and lets other work run whenever a slice of time is used up. */
export async function explainInSlices(input: Parameters<typeof explainSteps>[0]): Promise<ForeignAssembly> {
  const work = timeSlice()
  const steps = explainSteps(input)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (work.isOver()) await work.rest()
  }
}
