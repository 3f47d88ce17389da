import { useEffect } from 'react'

/** What the tab of the browser is called while this is on the screen: what is open, and then the program. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Foreword`
    return () => {
      document.title = 'Foreword'
    }
  }, [title])
}
