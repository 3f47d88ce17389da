/** Beside the conversation, which keeps 720 px in a window of 1280 and more in a wider one. */
export const INSPECTOR_WIDTH = 'w-80 min-[90rem]:w-96'
