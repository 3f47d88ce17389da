import { followNotices } from '../parts/notices.ts'

/** What is followed once the first screen is there. */
export function followLate(): void {
  followNotices()
  // Only an installed page has no browser around it that says that the gateway is not reached.
  if (matchMedia('(display-mode: standalone)').matches)
    void navigator.serviceWorker?.register('/app/worker.js', { scope: '/' })
}
