import { useResource, type Status } from '../api/resources.ts'

/** Whether the browser has the cookie of this gateway; `unknown` until it has answered once. */
export function useSignedIn(): 'yes' | 'no' | 'unknown' {
  const { data, error } = useResource<Status>('/api/status')
  if (error?.status === 401) return 'no'
  return data === undefined ? 'unknown' : 'yes'
}
