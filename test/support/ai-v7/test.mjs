export * from 'ai/test';
