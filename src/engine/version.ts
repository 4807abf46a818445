/** The version of the service: that of its package. */
export const serviceVersion = '0.1.0';
