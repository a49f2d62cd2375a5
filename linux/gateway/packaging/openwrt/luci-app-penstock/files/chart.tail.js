
return baseclass.extend({ SPAN_S, svgElement, queueChart, rateChart, pointOf });
