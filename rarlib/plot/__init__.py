"""What figures share: style, Gantt charts, timelines, published points; knows tidy frames only."""
