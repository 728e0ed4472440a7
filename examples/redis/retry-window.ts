/** In seconds. 300 is right for a real host; this one is short, so that its end can be seen. */
export const refreshRetryWindow = 5
