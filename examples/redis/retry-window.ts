/** Seconds. A real host should use 300. It is shorter here, so that the example can wait until it is over. */
export const refreshRetryWindow = 10
